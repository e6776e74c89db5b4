// A change of what a row shows. The emulator makes these records, ranks exchange them, and sinks write them.
// Plain data.
//
// A record makes one line in the thread trace (thread_row) and one in the CPU trace (cpu_row), or in one of
// them only. Rows count from 0 over the whole system; all ranks number them alike.
//
// Order: records of one rank are appended in the order of events. (time, order) is the key among ranks:
// `order` is EventView::order of the event that made the record, and events of two ranks never have an equal
// one, so a stable merge by that key is exact. A record 1 ns before its event comes after those of all events
// at its time: it has `early` added.
#pragma once

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ovni {

// When something happened, in the terms of (time, order).
using Moment = std::pair<int64_t, uint32_t>;
inline constexpr Moment end_of_trace = {INT64_MAX, 0};

struct Record {
    static constexpr uint32_t no_row = 0xffffffff;
    static constexpr uint32_t early = 0x80000000;

    int64_t time = 0;  // ns since the first event of the trace
    int64_t value = 0;
    uint32_t thread_row = no_row;
    uint32_t cpu_row = no_row;
    uint32_t order = 0;
    uint16_t type = 0;  // PRV event type
    // The end of a punctual state is not shown if another one of that row begins at its time.
    enum class Punctual : uint16_t { no, begin, end } punctual = Punctual::no;

    Moment moment() const { return {time, order}; }
};
static_assert(sizeof(Record) == 32 && std::is_trivially_copyable_v<Record>);

// Compares by key, without branches: a processor could only guess them where the records of ranks are merged.
template <class Item>
bool in_order(const Item& a, const Item& b) {
    const auto [time, order] = a.moment();
    const auto [other_time, other_order] = b.moment();
    return (time < other_time) | ((time == other_time) & (order < other_order));
}

// The event that made it.
inline Moment event_of(const Record& record) {
    bool early = (record.order & Record::early) != 0;
    return {record.time + early, record.order & ~Record::early};
}

}  // namespace ovni
