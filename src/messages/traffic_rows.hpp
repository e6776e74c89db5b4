// Waits and parts in collectives as outputs for analysis have them: in memory as on disk. Times are ns since
// the first event of the trace.
#pragma once

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <vector>

#include "emu/system.hpp"
#include "messages/message_ends.hpp"
#include "messages/waits.hpp"

namespace ovni {

// A wait. `thread` and `cause` are rows of threads.
struct WaitRow {
    static constexpr int32_t no_thread = -1;

    int64_t time = 0, end = 0;
    int64_t waited = 0;      // ns in calls of MPI between these
    int64_t cause_time = 0;  // what was waited for was done then
    int64_t bound = 0;       // as that of a Wait
    int32_t thread = 0, cause = no_thread;
    int32_t wait = 0;      // a WaitKind
    int32_t function = 0;  // a value of type 25

    auto key() const { return std::tuple(time, thread, end, wait, cause, function); }
    friend bool operator==(const WaitRow&, const WaitRow&) = default;
};
static_assert(sizeof(WaitRow) == 56 && std::is_trivially_copyable_v<WaitRow>);

// The part of one member in a collective. Those of one collective have equal communicator, scope and turn.
struct CollectiveRow {
    static constexpr int64_t never = -1;

    int64_t time = 0, end = 0;                 // the call
    int64_t wait_begin = 0, wait_end = never;  // the call that completes it
    uint64_t sent = 0, received = 0;
    uint64_t communicator = 0;
    int32_t scope = 0, turn = 0;
    int32_t thread = 0;
    int32_t rank = 0, root = 0, members = 0;
    int32_t function = 0, completed_by = 0;  // values of type 25; 0: none

    auto key() const { return std::tuple(time, thread, communicator, scope, turn); }
    friend bool operator==(const CollectiveRow&, const CollectiveRow&) = default;
};
static_assert(sizeof(CollectiveRow) == 88 && std::is_trivially_copyable_v<CollectiveRow>);

// Those of one rank, in the order of their keys; together those of all ranks are the whole.
struct TrafficRows {
    std::vector<WaitRow> waits;
    std::vector<CollectiveRow> collectives;

    // Leaves out what begins later.
    void end_at(int64_t time);
};
TrafficRows traffic_rows(const System& system, const std::vector<Wait>& waits,
                         const std::vector<CollectiveEnd>& collectives, int64_t origin);

}  // namespace ovni
