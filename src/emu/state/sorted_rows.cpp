#include "emu/state/sorted_rows.hpp"

#include <algorithm>
#include <map>

namespace ovni {

SortedRows::SortedRows(uint16_t type, size_t cpus) : type_(type) {
    if (cpus > 0) bars_.push_back({0, static_cast<int64_t>(cpus)});
}

// Adds to the bar of a value, which may come or go.
void SortedRows::add(Bar difference) {
    auto bar = std::ranges::lower_bound(bars_, difference.value, {}, &Bar::value);
    if (bar == bars_.end() || bar->value != difference.value) bar = bars_.insert(bar, {difference.value, 0});
    bar->count += difference.count;
    if (bar->count == 0) bars_.erase(bar);
}

void SortedRows::note(int64_t row, int64_t before, int64_t after) {
    auto known = std::ranges::find(moved_, static_cast<uint32_t>(row), &Moved::row);
    if (known == moved_.end())
        moved_.push_back({static_cast<uint32_t>(row), before, after});
    else
        known->after = after;
}

// A CPU leaves `before` for `after`: at every boundary between two bars on the way, one row takes the value
// of the next bar. Rows are noted in ascending order.
void SortedRows::move(int64_t before, int64_t after, bool noting) {
    if (noting) {
        const bool up = before < after;
        int64_t row = 0, last = 0;
        bool inside = false;  // between the two values
        for (const Bar& bar : bars_) {
            const int64_t low = up ? before : after, high = up ? after : before;
            if (bar.value > high) break;
            if (up && inside) note(row - 1, last, bar.value);
            if (!up && bar.value > low) note(row, bar.value, inside ? last : low);
            if (bar.value >= low) inside = true, last = bar.value;
            row += bar.count;
        }
        if (up && last != after) note(row - 1, last, after);
    }
    add({before, -1});
    add({after, 1});
}

void SortedRows::write_event(const BreakdownChange& of_event, std::vector<Record>& lines) {
    auto write = [&](uint32_t row, int64_t value) {
        lines.push_back({of_event.time, value, row, Record::no_row, of_event.order, type_});
    };
    if (first_) {
        uint32_t row = 0;
        for (const Bar& bar : bars_)
            for (int64_t i = 0; i < bar.count; ++i) write(row++, bar.value);
        first_ = false;
    } else {
        for (const Moved& moved : moved_)
            if (moved.before != moved.after) write(moved.row, moved.after);
    }
    moved_.clear();
}

void SortedRows::apply(std::span<const BreakdownChange> changes, std::vector<Record>& lines) {
    for (size_t i = 0; i < changes.size(); ++i) {
        move(changes[i].before, changes[i].after, !first_);
        if (i + 1 == changes.size() || changes[i + 1].first != 0) write_event(changes[i], lines);
    }
}

std::vector<SortedRows::Bar> SortedRows::sum_of(std::span<const BreakdownChange> changes) {
    std::map<int64_t, int64_t> sum;
    for (const BreakdownChange& change : changes) --sum[change.before], ++sum[change.after];
    std::vector<Bar> bars;
    bars.reserve(sum.size());
    for (const auto& [value, count] : sum) bars.push_back({value, count});
    return bars;
}

void SortedRows::skip(std::span<const Bar> sum) {
    for (const Bar& difference : sum) add(difference);
    if (!sum.empty()) first_ = false;
}

}  // namespace ovni
