#include "emu/state/shared_lines.hpp"

#include <algorithm>
#include <span>
#include <tuple>

namespace ovni {

namespace {

constexpr uint16_t marker_type = 0xffff;
constexpr unsigned step_bits = 16;

// The lines of each event in the order in which one emulator alone would make them.
void order_events(std::span<SharedLine> lines) {
    const auto in_event = [](const SharedLine& line) {
        return std::tuple(line.event, line.step, line.channel, line.kind != SharedLineKind::before);
    };
    for (auto begin = lines.begin(); begin != lines.end();) {
        auto end = begin + 1;
        while (end != lines.end() && end->moment() == begin->moment()) ++end;
        if (!std::is_sorted(begin, end, [&](const SharedLine& a, const SharedLine& b) {
                return in_event(a) < in_event(b);
            }))
            std::ranges::stable_sort(begin, end, {}, in_event);
        begin = end;
    }
}

bool is_marker(const Record& record) {
    return record.type == marker_type;
}

bool is_change_marker(const BreakdownChange& change) {
    return change.breakdown == marker_type;
}

auto step_of(const SharedLine& line) {
    return std::tuple(line.moment(), line.event, line.step);
}

auto step_of(const Record& marker) {
    return std::tuple(marker.moment(), static_cast<uint32_t>(marker.value >> step_bits),
                      static_cast<uint16_t>(marker.value));
}

auto event_of(const SharedLine& line) {
    return std::tuple(line.moment(), line.event);
}

auto event_of(const BreakdownChange& marker) {
    return std::tuple(marker.moment(), static_cast<uint32_t>(marker.before));
}

using Lines = std::span<const SharedLine>;

// Takes the lines with that key from the front of `rest`, and drops those before.
template <class Key, class KeyOf>
Lines take_equal(Lines& rest, const Key& key, KeyOf key_of) {
    while (!rest.empty() && key_of(rest.front()) < key) rest = rest.subspan(1);
    size_t count = 0;
    while (count < rest.size() && key_of(rest[count]) == key) ++count;
    const Lines equal = rest.first(count);
    rest = rest.subspan(count);
    return equal;
}

// Does the row pass from the emulator of this line to that of the next one?
bool passes_to(const SharedLine& line, const SharedLine& next) {
    return line.kind == SharedLineKind::before && next.kind > SharedLineKind::before &&
           line.step == next.step && line.channel == next.channel;
}

// The lines of one step.
void append_lines(Lines lines, RecordBuffer& records) {
    for (size_t i = 0; i < lines.size(); ++i) {
        if (i + 1 < lines.size() && passes_to(lines[i], lines[i + 1])) {
            const SharedLine &before = lines[i], &after = lines[++i];
            if (after.kind == SharedLineKind::after || after.record.value != before.record.value)
                records.append(after.record);
            continue;
        }
        Record line = lines[i].record;
        if (lines[i].kind == SharedLineKind::before) line.value = 0;
        records.append(line);
    }
}

// The values of one event: a value before and one after for each CPU and breakdown.
void append_changes(Lines values, std::vector<BreakdownChange>& changes) {
    uint32_t begun = 0;  // breakdowns with a change already, as bits
    for (size_t i = 0; i + 1 < values.size(); ++i) {
        if (!passes_to(values[i], values[i + 1])) continue;
        const Record &before = values[i].record, &after = values[i + 1].record;
        if (before.value == after.value) continue;
        const uint32_t bit = 1u << after.type;
        changes.push_back({after.time, before.value, after.value, after.order, after.type,
                           static_cast<uint16_t>((begun & bit) == 0 ? 1 : 0)});
        begun |= bit;
    }
}

}  // namespace

Record SharedLines::marker(Moment moment) const {
    Record marker;
    marker.time = moment.first;
    marker.order = moment.second;
    marker.type = marker_type;
    marker.value = int64_t{event_} << step_bits | step_;
    return marker;
}

BreakdownChange SharedLines::change_marker(Moment moment) const {
    return {moment.first, event_, 0, moment.second, marker_type, 0};
}

void SharedLines::add_value(Moment moment, uint16_t breakdown, SharedLineKind kind, int64_t value) {
    const Record record{moment.first, value, Record::no_row, Record::no_row, moment.second, breakdown};
    values_.push_back({record, event_, step_, breakdown, kind});
}

bool SharedLines::rewind(Size size) {
    if (event_is_ == EventIs::none) return false;
    lines_.resize(size.lines);
    values_.resize(size.values);
    end_event();
    return true;
}

void place_shared_lines(std::span<SharedLine> lines, RecordBuffer& records, RecordBuffer& room) {
    if (std::ranges::none_of(records, is_marker)) return;
    order_events(lines);
    room.resize_for_overwrite(records.size() + lines.size());
    room.clear();
    Lines rest = lines;
    const auto of_line = [](const SharedLine& line) { return step_of(line); };
    for (const Record& record : records)
        if (is_marker(record))
            append_lines(take_equal(rest, step_of(record), of_line), room);
        else
            room.append(record);
    records.swap(room);
}

void place_shared_values(std::span<SharedLine> values, std::vector<BreakdownChange>& changes) {
    if (std::ranges::none_of(changes, is_change_marker)) return;
    order_events(values);
    std::vector<BreakdownChange> placed;
    Lines rest = values;
    const auto of_line = [](const SharedLine& line) { return event_of(line); };
    for (const BreakdownChange& change : changes)
        if (is_change_marker(change))
            append_changes(take_equal(rest, event_of(change), of_line), placed);
        else
            placed.push_back(change);
    changes.swap(placed);
}

}  // namespace ovni
