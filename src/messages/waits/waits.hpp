// Times that a thread spent in a call of MPI because another process was late, as Scalasca defines them
// (F. Wolf, B. Mohr: Automatic performance analysis of hybrid MPI/OpenMP applications, J. Systems
// Architecture 49, 2003, and the documentation of Scalasca's patterns). E is the enter of a call, L its
// leave; no wait is longer than its call.
//
//     late sender      min(E of the send, L) - E of the receive, or of the call that completes it
//                      or of the probe that finds the message
//     late receiver    E of the call that posts the receive - E of the send or of the call that completes it,
//                      if that ends later
//     barrier, n to n  min(last E, L) - E; also of fences of one-sided communication
//     completion       L - max(first L, last E), of these collectives
//     neighbours       last E before L - E, an upper bound, as neighbours are unknown
//     late broadcast   min(E of the root, L) - E, of all others of a 1 to n
//     early reduce     min(last E of the others, L) - E, of the root of an n to 1
//     early scan       min(last E of lower ranks, L) - E
//     all members      min(last E, L) - E, of calls that make or free communicators, windows and files, if
//                      no member leaves before the last one enters
//     members          last E before L - E, of other such calls: an upper bound
//     start or end     last E - E, of MPI_Init and MPI_Finalize of all ranks of a world
//
// A member of an n to n may leave before the last one enters, if it gets nothing from some members: then
// members that receive wait for the last member that sends. A call that completes several messages counts
// once, with the longest of their waits. The call that completes a non-blocking collective is the one that
// waits for it. MPI_Test* does not wait, as its caller goes on; but the time that failed tests of a receive
// took before its send counts (failed_tests.hpp). MPI_Init and MPI_Finalize need not wait for all: a world
// whose ranks leave before the last one enters has no waits there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "messages/match/packed_messages.hpp"
#include "messages/scan/found_ends.hpp"
#include "messages/scan/message_ends.hpp"
#include "messages/waits/longest_of_calls.hpp"
#include "messages/waits/wait.hpp"

namespace ovni {

// The order in which messages are received.
bool is_received_before(const Message& a, const Message& b);
// The waits of receivers. `received`: messages that threads of one process have received by calls that were
// seen to end, in the order of is_received_before(). `times`: of that process, or null. `probed`: by stream
// and offset.
Waits waits_of_receiver(const PackedMessages& received, const ProcessTimes* times,
                        std::span<const ProbedReceive> probed = {});

// The waits of senders.
class WaitsOfSenders {
 public:
    // In the order of streams, times and offsets of sends.
    void take(const Message& message);
    // Returns the waits, except those of calls in `late`: a call that waits for a sender waits for nothing
    // else.
    Waits but_for(std::span<const Wait> late) &&;

 private:
    LongestOfCalls longest_;
};
// The waits at one collective; `members`: one end of each of its members that are recorded.
std::vector<Wait> waits_at(std::span<const CollectiveEnd> members);
// The waits at MPI_Init, or at MPI_Finalize; `members`: the calls of one world, by rank.
std::vector<Wait> waits_at_world_call(std::span<const CollectiveEnd> members);

}  // namespace ovni
