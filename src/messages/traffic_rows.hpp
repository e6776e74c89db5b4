// Waits, parts in collectives, calls that use windows and files, and ends of messages without a partner, as
// outputs have them: in memory as on disk. Times are ns since the first event of the trace.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "emu/plan/system.hpp"
#include "messages/analysis.hpp"
#include "messages/scan/message_ends.hpp"
#include "messages/scan/object_calls.hpp"
#include "messages/waits/waits.hpp"

namespace ovni {

// A wait. `thread` and `cause` are rows of threads.
struct WaitRow {
    static constexpr int32_t no_thread = -1;

    int64_t time = 0, end = 0;
    int64_t waited = 0;      // ns in calls of MPI between these
    int64_t cause_time = 0;  // when what was waited for was done
    int64_t bound = 0;       // as that of a Wait
    int32_t thread = 0, cause = no_thread;
    int32_t wait = 0;      // a WaitKind
    int32_t function = 0;  // a value of type 25

    auto key() const {
        return std::tuple(time, thread, end, wait, cause, function, cause_time, waited, bound);
    }
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

    auto key() const {
        return std::tuple(time, thread, communicator, scope, turn, end, wait_begin, wait_end, function,
                          completed_by, sent, received, rank, root, members);
    }
    friend bool operator==(const CollectiveRow&, const CollectiveRow&) = default;
};
static_assert(sizeof(CollectiveRow) == 88 && std::is_trivially_copyable_v<CollectiveRow>);

// A window or file. Its key is equal on all processes that use it, because they make those on one
// communicator in one order. A process that has not recorded all of its calls may have the key of another
// one.
struct ObjectKey {
    uint64_t communicator = 0;  // id; 0: unknown
    int32_t scope = 0;
    int32_t turn = 0;
    int32_t kind = 0;     // an ObjectKind
    int32_t process = 0;  // of an unknown communicator; else 0
    auto operator<=>(const ObjectKey&) const = default;
};
// Facts that a process knows of a window or file.
struct ObjectFacts {
    ObjectKey key;
    std::string name;
    uint32_t process = 0;  // in System
    int32_t rank = -1;     // of it in the communicator; -1: unknown
    uint32_t is_made = 0;  // the call that makes it was recorded
};

// A call that makes, uses or frees a window or file.
struct ObjectRow {
    static constexpr int64_t never = -1;

    int64_t time = 0, end = 0;
    int64_t complete = never;  // the call that completes its request ends; without a request that is `end`
    uint64_t bytes = 0;        // that a one-sided call gives, or that I/O is to transfer
    uint64_t result = 0;       // that a one-sided call takes, or that I/O has transferred
    ObjectKey object;
    int32_t thread = 0, target = 0;
    int32_t function = 0;  // a value of type 25
    int32_t has_request = 0;

    auto key() const {
        return std::tuple(time, thread, end, function, object, target, bytes, result, complete, has_request);
    }
};
static_assert(sizeof(ObjectRow) == 80 && std::is_trivially_copyable_v<ObjectRow>);

// An end of a message without a partner.
struct UnmatchedRow {
    static constexpr int64_t never = -1;

    int64_t posted = 0;
    int64_t complete = never;  // of a receive: the call that completes it ends
    uint64_t bytes = 0;        // MessageEnd::unknown_bytes: unknown
    uint64_t communicator = 0;
    int32_t thread = 0;
    int32_t peer = 0;  // rank in the communicator
    int32_t tag = 0;
    int32_t is_send = 0;
    int32_t cause = 0;     // an Unmatched
    int32_t function = 0;  // that posts it: a value of type 25

    auto key() const {
        return std::tuple(posted, thread, is_send, complete, communicator, peer, tag, bytes, cause, function);
    }
};
static_assert(sizeof(UnmatchedRow) == 56 && std::is_trivially_copyable_v<UnmatchedRow>);

// The rows of one rank, in the order of their keys. The rows of all ranks together are those of the trace.
struct TrafficRows {
    std::vector<WaitRow> waits;
    std::vector<CollectiveRow> collectives;
    std::vector<ObjectRow> objects;
    std::vector<UnmatchedRow> unmatched;  // of any threads
    std::vector<ObjectFacts> object_facts;

    // Leaves out what begins later.
    void end_at(int64_t time);
};
TrafficRows traffic_rows(const System& system, const TrafficAnalysis& found, int64_t origin);
std::vector<WaitRow> wait_rows(const System& system, std::span<const Wait> waits, int64_t origin);

}  // namespace ovni
