#include "session/replay/waits_in_timeline.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "emu/plan/plan.hpp"
#include "emu/records/record_queue.hpp"

namespace ovni {

namespace {

// Records of this order come after all events of their time, those of the first stream first.
constexpr uint32_t behind_events = 0x40000000;

}  // namespace

void add_wait_types(const Ranks& ranks, std::span<const Wait> waits, const CriticalPath& path,
                    FileSchema& threads) {
    std::vector<uint64_t> kinds(wait_names.size());
    for (const Wait& wait : waits) kinds[static_cast<size_t>(wait.kind)] = 1;
    kinds = ranks.allreduce(Op::max, std::move(kinds));
    EventType type;
    type.type = prv_type::wait_state;
    type.title = "MPI wait state";
    for (size_t kind = 0; kind < kinds.size(); ++kind)
        if (kinds[kind] != 0) type.labels.emplace_back(static_cast<int64_t>(kind), wait_names[kind]);
    if (!type.labels.empty()) threads.types.push_back(std::move(type));
    if (path.parts.empty()) return;
    EventType of_path;
    of_path.type = prv_type::critical_path;
    of_path.title = "MPI critical path";
    of_path.labels = {{1, "On the critical path"}};
    threads.types.push_back(std::move(of_path));
}

void WaitsInTimeline::add(uint32_t row, uint32_t stream, uint16_t type, int64_t value, int64_t begin,
                          int64_t end) {
    Record record;
    record.time = begin;
    record.value = value;
    record.thread_row = row;
    record.order = behind_events | stream;
    record.type = type;
    records_.push_back(record);
    record.time = end;
    record.value = 0;
    records_.push_back(record);
}

WaitsInTimeline::WaitsInTimeline(const System& system, std::span<const Wait> waits, const CriticalPath& path,
                                 const std::vector<bool>& mine, int64_t origin) {
    struct Shown {
        int64_t begin = INT64_MIN, end = INT64_MIN;
        size_t records = 0;   // so far
        bool is_run = false;  // of failed tests: other waits may begin in it
    };
    std::map<uint32_t, Shown> shown;  // by stream
    for (const Wait& wait : waits) {
        Shown& before = shown[wait.stream];
        if (before.is_run && wait.begin < before.end && wait.begin > before.begin) {
            records_[before.records - 1].time = wait.begin - origin;
            before.end = wait.begin;
        }
        const int64_t begin = std::max(wait.begin, before.end);
        if (begin >= wait.end) continue;
        add(system.thread_of_stream(wait.stream), wait.stream, prv_type::wait_state,
            static_cast<int64_t>(wait.kind), begin - origin, wait.end - origin);
        before = {begin, wait.end, records_.size(), wait.kind == WaitKind::failed_tests};
    }
    for (const PathPart& part : path.parts)
        if (const uint32_t row = system.thread_of_stream(part.stream); mine[system.threads()[row].process])
            add(row, part.stream, prv_type::critical_path, 1, part.begin - origin, part.end - origin);
    // An end comes before a beginning.
    std::ranges::sort(records_, {}, [](const Record& record) {
        return std::tuple(record.time, record.order, record.type, record.value != 0);
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
