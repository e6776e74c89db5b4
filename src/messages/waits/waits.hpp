// Times that a thread spent in a call of MPI because another process was late, as Scalasca defines them
// (F. Wolf, B. Mohr: Automatic performance analysis of hybrid MPI/OpenMP applications, J. Systems
// Architecture 49, 2003, and the documentation of Scalasca's patterns). E is the enter of a call, L its
// leave; no wait is longer than its call.
//
//     late sender      min(E of the send, L) - E of the receive, or of the call that completes it
//     late receiver    E of the call that posts the receive - E of the send or of the call that completes it,
//                      if that ends later
//     barrier, n to n  min(last E, L) - E; also of fences of one-sided communication
//     completion       L - max(first L, last E), of the same
//     neighbours       last E before L - E, as nothing tells who is a neighbour: the wait is no longer
//     late broadcast   min(E of the root, L) - E, of all others of a 1 to n
//     early reduce     min(last E of the others, L) - E, of the root of an n to 1
//     early scan       min(last E of lower ranks, L) - E
//     start or end     last E - E, of MPI_Init and MPI_Finalize of all ranks of a world
//
// A member of an n to n may leave before the last one enters, as it gets nothing from some: there those who
// receive wait for the last who sends. A call that completes several messages counts once, with the longest
// of their waits. The call that completes a non-blocking collective is the one that waits for it. MPI_Test*
// does not wait, as its caller goes on; but the time counts that failed tests of a receive took before its
// send (failed_tests.hpp). MPI_Init and MPI_Finalize need not wait for all: a world whose ranks leave before
// the last one enters has no waits there.
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
// The waits of those who receive; `received`: what threads of one process have received, in that order, by
// calls that were seen to end. `times`: of that process, or null.
Waits waits_of_receiver(const PackedMessages& received, const ProcessTimes* times);

// The waits of those who send.
class WaitsOfSenders {
 public:
    // In the order of streams, times and offsets of sends.
    void take(const Message& message);
    // `late`: calls that wait for a sender wait for nothing else.
    Waits but_for(std::span<const Wait> late) &&;

 private:
    LongestOfCalls longest_;
};
// The waits at one collective; `members`: one end of each of its members that are recorded.
std::vector<Wait> waits_at(std::span<const CollectiveEnd> members);
// The waits at MPI_Init, or at MPI_Finalize; `members`: the calls of one world, by rank.
std::vector<Wait> waits_at_world_call(std::span<const CollectiveEnd> members);

}  // namespace ovni
