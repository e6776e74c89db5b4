#include "emu/records/record_queue.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace ovni {

namespace {

auto row_of(const Record& record) {
    return std::tie(record.time, record.type, record.thread_row, record.cpu_row);
}

// True if another punctual state of the row begins where this one ends.
bool is_superseded(const Record* record, const Record* end) {
    if (record->punctual != Record::Punctual::end) return false;
    for (const Record* later = record + 1; later != end && later->time == record->time; ++later)
        if (later->punctual == Record::Punctual::begin && row_of(*later) == row_of(*record)) return true;
    return false;
}

void drop_superseded(RecordBuffer& records) {
    Record* kept = records.begin();
    for (const Record* record = records.begin(); record != records.end(); ++record)
        if (!is_superseded(record, records.end())) *kept++ = *record;
    records.truncate(static_cast<size_t>(kept - records.begin()));
}

}  // namespace

void RecordQueue::take_before(int64_t time, RecordBuffer& taken, Moment end) {
    if (punctual_) std::ranges::stable_sort(records_, in_order<Record>);
    auto before = [&](const Record& record) { return record.time < time || time == everything; };
    const Record* rest = std::ranges::partition_point(std::as_const(records_), before);
    auto count = static_cast<size_t>(rest - records_.begin());
    taken.resize_for_overwrite(records_.size() - count);
    std::copy(rest, std::as_const(records_).end(), taken.begin());
    records_.truncate(count);
    taken.swap(records_);
    if (end != end_of_trace) {
        auto beyond = [&](const Record& record) { return event_of(record) > end; };
        Record* kept = std::remove_if(taken.begin(), taken.end(), beyond);
        taken.truncate(static_cast<size_t>(kept - taken.begin()));
    }
    if (!punctual_) return;
    drop_superseded(taken);
    auto is_punctual = [](const Record& record) { return record.punctual != Record::Punctual::no; };
    punctual_ = std::ranges::any_of(records_, is_punctual);
}

}  // namespace ovni
