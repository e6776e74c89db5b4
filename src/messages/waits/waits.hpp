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

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "messages/match/message.hpp"
#include "messages/scan/found_ends.hpp"
#include "messages/scan/message_ends.hpp"

namespace ovni {

enum class WaitKind : uint16_t {
    none,
    late_sender,
    late_receiver,
    barrier,
    n_to_n,
    late_broadcast,
    early_reduce,
    early_scan,
    completion,
    late_sender_wrong_order,  // a message that was sent before it was received later
    failed_tests,
    neighbours,
    fence,
    start_or_end,
    count
};
inline constexpr std::array<std::string_view, static_cast<size_t>(WaitKind::count)> wait_names = {
    "",
    "Late sender",
    "Late receiver",
    "Wait at barrier",
    "Wait at n to n",
    "Late broadcast",
    "Early reduce",
    "Early scan",
    "Completion of a collective",
    "Late sender, wrong order",
    "Failed tests",
    "Wait for neighbours, at most",
    "Wait at fence",
    "Wait at start or end"};

// Plain data, that ranks exchange. Clocks are those of the ends.
struct Wait {
    int64_t begin = 0, end = 0;
    int64_t cause_time = 0;     // what was waited for was done then
    int64_t between = 0;        // ns that the thread was outside of its calls: between failed tests
    int64_t bound = 0;          // +- ns, by which clocks can be wrong at it; -1: unknown
    uint32_t stream = 0;        // of the thread that waits
    uint32_t cause_stream = 0;  // of the thread that was late; MessageEnd::no_stream: none
    uint16_t function = 0;      // that waits, in mpi_function_rows
    WaitKind kind = WaitKind::none;
    uint32_t padding = 0;

    int64_t length() const { return end - begin - between; }
    // Waits with equal keys are equal, so ranks agree on their order.
    auto key() const {
        return std::tuple(begin, stream, end, kind, cause_stream, function, cause_time, between, bound);
    }
};
static_assert(sizeof(Wait) == 56 && std::is_trivially_copyable_v<Wait>);

// The waits of those who receive; `received`: what threads of one process have received. `times`: of that
// process, or null.
std::vector<Wait> waits_of_receiver(std::vector<const Arrival*> received, const ProcessTimes* times);
// The waits of those who send. `late`: calls that wait for a sender wait for nothing else.
std::vector<Wait> waits_of_sender(std::span<const Message> messages, std::span<const Wait> late);
// The waits at one collective; `members`: one end of each of its members that are recorded.
std::vector<Wait> waits_at(std::span<const CollectiveEnd> members);
// The waits at MPI_Init, or at MPI_Finalize; `members`: the calls of one world, by rank.
std::vector<Wait> waits_at_world_call(std::span<const CollectiveEnd> members);

}  // namespace ovni
