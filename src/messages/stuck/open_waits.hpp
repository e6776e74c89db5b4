// Waits in POSIX threads that are open at the end of a trace: which thread waits for what, which thread has
// it, and circles of threads that wait for each other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emu/plan/system.hpp"
#include "messages/scan/open_waits.hpp"
#include "messages/stuck/waiting.hpp"
#include "trace/trace.hpp"

namespace ovni {

// Circles of waits: the thread that has the object of a wait is in the next wait; after the last wait comes
// the first.
std::vector<std::vector<uint32_t>> circles_of(const System& system, const std::vector<OpenWait>& waits);

// "rank 0: thread 12 waits for mutex table_lock, which thread 13 has, for 4.7 s". Circles come first, then
// waits for objects that a thread has, then all others if `others` is `listed`. `calls`: open calls of MPI,
// as the threads that have objects may be in one. `most` and `shortest` are as in sentences() of waiting.hpp.
enum class OtherWaits : uint8_t { listed, left_out };
std::vector<std::string> sentences(const std::vector<OpenWait>& waits, const Trace& trace,
                                   const System& system, const Waiting& calls, OtherWaits others,
                                   int64_t shortest, size_t most);

}  // namespace ovni
