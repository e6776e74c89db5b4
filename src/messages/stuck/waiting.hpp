// The end of a trace, and who waits for whom there: the open calls of all processes, the ranks that each
// needs, and circles of processes that wait for each other. Not all of this can be known: a call that any
// rank can end, or without details in the trace, is in no circle.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emu/plan/system.hpp"
#include "messages/scan/open_calls.hpp"

namespace ovni {

struct CommunicatorOfProcess {
    uint32_t process = 0;
    uint64_t turns = 0;
    CommunicatorFacts facts;
};
struct OpenTrace {
    std::vector<OpenProcess> processes;  // all that use MPI, ascending
    std::vector<CommunicatorOfProcess> communicators;
};

// The communicators whose facts are needed, by id.
std::vector<uint64_t> communicators_of(const std::vector<OpenProcess>& processes);

struct WaitingCall {
    uint32_t process = 0, stream = 0, function = 0;
    int64_t since = 0, until = 0;
    // The first 100 ranks, in the world of the process, that the call needs to end. For a collective these
    // are ranks that have not entered it. Empty: none is known.
    std::vector<int> needs;
    std::string what;  // "a message from rank 1, tag 7"
};

// Clocks of a damaged trace may lie further apart than a number of ns says.
inline int64_t time_between(int64_t since, int64_t until) {
    int64_t length = 0;
    return __builtin_sub_overflow(until, since, &length) ? INT64_MAX : length;
}

struct Waiting {
    std::vector<WaitingCall> calls;  // by process
    std::vector<std::vector<uint32_t>>
        circles;  // of calls: each needs the process of the next, the last the first's
};

Waiting who_waits(const System& system, const OpenTrace& open);

// "rank 0 waits in MPI_Recv for rank 1, tag 7, for 4.700 s". Circles come first, but only one of those that
// share a call. Then come other calls, equal ones together. Each kind has at most `most` lines, and a line
// that counts the rest. Calls that were open for less than `shortest` ns are left out: a program that is
// killed at work is in some call, too.
std::vector<std::string> sentences(const Waiting& waiting, const System& system, int64_t shortest,
                                   size_t most);
// Those about circles alone: "deadlock: rank 0 waits ...".
std::vector<std::string> deadlocks_in(const Waiting& waiting, const System& system);

}  // namespace ovni
