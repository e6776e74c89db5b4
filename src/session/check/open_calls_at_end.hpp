// Calls of MPI, and waits in POSIX threads, that are open at the end of a trace whose program was killed,
// found by all ranks together.
#pragma once

#include <cstdint>

#include "base/ranks.hpp"
#include "messages/scan/scan.hpp"
#include "messages/stuck/open_waits.hpp"
#include "messages/stuck/waiting.hpp"

namespace ovni {

// `scanned`: the processes of this rank. Collective; the result is on rank 0.
Waiting find_waiting(const Ranks& ranks, const Trace& trace, const System& system, const Scanned& scanned);
// The open waits, by stream. Collective; the result is on rank 0.
std::vector<OpenWait> find_open_waits(const Ranks& ranks, const Scanned& scanned);

// Shorter waits are not reported: a program that is killed at work is in some call, too.
inline constexpr int64_t shortest_wait = 100'000'000;

}  // namespace ovni
