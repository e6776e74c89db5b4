// Reads a trace, or the part of it that one rank has, for calls that are open at its end.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "emu/plan/start.hpp"
#include "messages/stuck/waiting.hpp"
#include "trace/trace.hpp"

namespace ovni {

// True if the stream has events of MPI.
bool uses_mpi(const Stream& stream);

// True if the program did not end a stream that has events of MPI: then calls may be open.
bool may_have_open_calls(const Trace& trace);

class OpenTraceReader {
 public:
    // Reads these processes (true for each), damaged streams up to their damage.
    OpenTraceReader(const Trace& trace, const System& system, const std::vector<bool>& mine,
                    const OpenStream& open);

    const std::vector<OpenProcess>& processes() const { return processes_; }
    // Faults of streams.
    const std::set<std::string>& damages() const { return damages_; }
    // These communicators as the processes know them, and how far each is there.
    std::vector<CommunicatorOfProcess> communicators(const std::vector<uint64_t>& ids) const;

 private:
    std::vector<OpenProcess> processes_;
    std::vector<ProcessCalls> calls_;  // of each
    std::set<std::string> damages_;
};

}  // namespace ovni
