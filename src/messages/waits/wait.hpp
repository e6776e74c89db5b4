// A wait, as waits.hpp defines its kinds, and its name.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "base/table_memory.hpp"

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
    members,
    members_at_most,
    late_post,
    late_complete,
    lock,
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
    "Wait at start or end",
    "Wait for all members",
    "Wait for members, at most",
    "Late post, at most",
    "Late complete, at most",
    "Wait for a lock, at most"};

// Plain data, that ranks exchange. Clocks are those of the ends.
struct Wait {
    int64_t begin = 0, end = 0;
    int64_t cause_time = 0;     // when what was waited for was done
    int64_t between = 0;        // ns that the thread was outside of its calls: between failed tests
    int64_t bound = 0;          // +- ns by which clocks can be wrong at it; -1: unknown
    uint32_t stream = 0;        // of the thread that waits
    uint32_t cause_stream = 0;  // of the thread that was late; MessageEnd::no_stream: none
    uint16_t function = 0;      // that waits, in mpi_function_rows
    WaitKind kind = WaitKind::none;
    uint32_t site = 0;  // of the call that waits, as MpiCaller has it

    int64_t length() const { return end - begin - between; }
    // Waits with equal keys are equal, so ranks agree on their order.
    auto key() const {
        return std::tuple(begin, stream, end, kind, cause_stream, function, cause_time, between, bound);
    }
};
static_assert(sizeof(Wait) == 56 && std::is_trivially_copyable_v<Wait>);

// There may be as many waits as messages.
using Waits = TableVector<Wait>;

}  // namespace ovni
