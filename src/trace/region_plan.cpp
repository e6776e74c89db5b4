#include "trace/region_plan.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "trace/stream_reader.hpp"

namespace ovni {

namespace {

constexpr EventCode region_begins = "OU[";
constexpr EventCode region_ends = "OU]";

// Damage is not thrown here: reading reports it in its place.
bool go_on(StreamReader& reader) {
    try {
        return reader.next();
    } catch (const Error&) {
        return false;
    }
}

}  // namespace

std::optional<ByteRange> RegionFinder::see(int64_t raw_clock, EventCode code, uint64_t offset) {
    std::optional<ByteRange> range;
    if (phase_ == Phase::outside) {
        if (code == region_begins) phase_ = Phase::just_begun;
    } else if (code == region_ends) {
        if (phase_ == Phase::just_begun)
            ++empty_;
        else
            range = sort_before(offset);
        phase_ = Phase::outside;
    } else {
        oldest_ = phase_ == Phase::just_begun ? raw_clock : std::min(oldest_, raw_clock);
        phase_ = Phase::inside;
    }
    before_.push_back({raw_clock, offset});
    if (before_.size() > most_before_) before_.pop_front();
    return range;
}

// The start of the range to sort, as an index in the events before the region's end.
size_t RegionFinder::find_start(uint64_t end) const {
    for (size_t i = before_.size(); i > 0; --i)
        if (before_[i - 1].clock < oldest_) return i - 1;
    if (before_.size() < most_before_) return 0;
    throw Error(fmt::format("the region that ends here holds an event of clock {}, older than all of the {} "
                            "events before that are kept: use a larger -n",
                            oldest_, before_.size()),
                path_, end);
}

std::optional<ByteRange> RegionFinder::sort_before(uint64_t end) {
    ++sorted_;
    size_t start = find_start(end);
    auto by_clock = [](const Placed& a, const Placed& b) { return a.clock < b.clock; };
    auto first = before_.begin() + static_cast<std::ptrdiff_t>(start);
    if (std::is_sorted(first, before_.end(), by_clock)) return std::nullopt;
    ByteRange range{first->offset, end};
    struct Sized {
        int64_t clock;
        uint64_t size;
    };
    std::vector<Sized> events;
    for (size_t i = start; i < before_.size(); ++i) {
        uint64_t next = i + 1 < before_.size() ? before_[i + 1].offset : end;
        events.push_back({before_[i].clock, next - before_[i].offset});
    }
    std::stable_sort(events.begin(), events.end(),
                     [](const Sized& a, const Sized& b) { return a.clock < b.clock; });
    uint64_t offset = range.begin;
    for (size_t i = 0; i < events.size(); ++i) {
        before_[start + i] = {events[i].clock, offset};
        offset += events[i].size;
    }
    move_gaps(start, end);
    return range;
}

// A gap stays before the first event that is not older than its beginning.
void RegionFinder::move_gaps(size_t start, uint64_t end) {
    auto first = before_.begin() + static_cast<std::ptrdiff_t>(start);
    for (Gap& gap : gaps_) {
        if (gap.offset <= first->offset || gap.offset >= end) continue;
        auto next =
            std::find_if(first, before_.end(), [&](const Placed& event) { return event.clock >= gap.from; });
        gap.offset = next == before_.end() ? end : next->offset;
    }
}

RegionPlan plan_regions(const std::filesystem::path& directory, size_t block, uint64_t look_back) {
    StreamReader reader(
        {.directory = directory, .order = ClockOrder::any, .block = block, .checksums = Checksums::ignored});
    RegionFinder finder(reader.path(), reader.gaps(), look_back);
    RegionPlan plan;
    while (go_on(reader)) {
        const EventView& event = reader.event();
        if (event.kind != EventView::Kind::event) continue;
        std::optional<ByteRange> range = finder.see(event.raw_clock(), event.code, event.offset);
        if (!range) continue;
        while (!plan.ranges.empty() && plan.ranges.back().begin >= range->begin) plan.ranges.pop_back();
        plan.ranges.push_back(*range);
    }
    plan.gaps = finder.gaps();
    plan.sorted = finder.sorted();
    plan.empty = finder.empty();
    return plan;
}

std::optional<std::vector<MovedEvent>> sort_events(std::span<uint8_t> bytes) {
    std::vector<MovedEvent> events;
    for (uint64_t at = 0, size = 0; at < bytes.size(); at += size) {
        size = ovni_format_event_size(bytes.data() + at, bytes.size() - at);
        if (size == 0 || size > bytes.size() - at) return std::nullopt;
        events.push_back({at, at});
    }
    auto clock = [&](const MovedEvent& event) {
        return static_cast<int64_t>(ovni_format_clock(bytes.data() + event.before));
    };
    std::ranges::stable_sort(events, {}, clock);
    std::vector<uint8_t> sorted(bytes.size());
    uint64_t at = 0;
    for (MovedEvent& event : events) {
        const uint8_t* from = bytes.data() + event.before;
        uint64_t size = ovni_format_event_size(from, bytes.size() - event.before);
        std::memcpy(sorted.data() + at, from, size);
        event.now = at;
        at += size;
    }
    std::ranges::copy(sorted, bytes.begin());
    return events;
}

}  // namespace ovni
