#include "session/waits_in_timeline.hpp"

#include <algorithm>
#include <map>

#include "emu/plan.hpp"
#include "emu/record_queue.hpp"

namespace ovni {

namespace {

// Behind all events of that time, in the order of streams.
constexpr uint32_t behind_events = 0x40000000;

}  // namespace

void add_wait_type(const Ranks& ranks, const std::vector<Wait>& waits, FileSchema& threads) {
    std::vector<uint64_t> kinds(wait_names.size());
    for (const Wait& wait : waits) kinds[static_cast<size_t>(wait.kind)] = 1;
    kinds = ranks.allreduce(Op::max, std::move(kinds));
    EventType type;
    type.type = prv_type::wait_state;
    type.title = "MPI wait state";
    for (size_t kind = 0; kind < kinds.size(); ++kind)
        if (kinds[kind] != 0) type.labels.emplace_back(static_cast<int64_t>(kind), wait_names[kind]);
    if (!type.labels.empty()) threads.types.push_back(std::move(type));
}

WaitsInTimeline::WaitsInTimeline(const System& system, const std::vector<Wait>& waits, int64_t origin) {
    std::map<uint32_t, int64_t> ends;  // by stream
    for (const Wait& wait : waits) {
        auto [known, is_first] = ends.try_emplace(wait.stream, INT64_MIN);
        const int64_t begin = std::max(wait.begin, known->second);
        if (begin >= wait.end) continue;
        known->second = wait.end;
        Record record;
        record.time = begin - origin;
        record.value = static_cast<int64_t>(wait.kind);
        record.thread_row = system.thread_of_stream(wait.stream);
        record.order = behind_events | wait.stream;
        record.type = prv_type::wait_state;
        records_.push_back(record);
        record.time = wait.end - origin;
        record.value = 0;
        records_.push_back(record);
    }
    // What ends comes before what begins.
    std::ranges::sort(records_, {}, [](const Record& record) {
        return std::tuple(record.time, record.order, record.value != 0, record.value);
    });
}

void WaitsInTimeline::merge_before(int64_t time, RecordBuffer& records, Moment end) {
    const size_t begin = next_;
    while (next_ < records_.size() && (records_[next_].time < time || time == RecordQueue::everything))
        ++next_;
    std::vector<Record> made(records_.begin() + static_cast<std::ptrdiff_t>(begin),
                             records_.begin() + static_cast<std::ptrdiff_t>(next_));
    std::erase_if(made, [&](const Record& record) { return record.moment() > end; });
    if (made.empty()) return;
    RecordBuffer both;
    both.resize_for_overwrite(records.size() + made.size());
    std::merge(records.begin(), records.end(), made.begin(), made.end(), both.begin(), in_order<Record>);
    records.swap(both);
}

}  // namespace ovni
