#include "trace/tie_order.hpp"

#include <algorithm>
#include <utility>

namespace ovni {

void Ties::add(uint32_t time, uint32_t place) {
    if (words_.empty() || words_[last_] != time) {
        last_ = words_.size();
        words_.insert(words_.end(), {time, 0});
    }
    ++words_[last_ + 1];
    words_.push_back(place);
}

std::span<const uint32_t> Ties::at(int64_t clock) {
    if (at_ == words_.size() || start_ + words_[at_] != clock) return {};
    std::span<const uint32_t> places(words_.data() + at_ + 2, words_[at_ + 1]);
    at_ += 2 + places.size();
    return places;
}

std::vector<uint32_t> HeapReplay::times_after(std::span<const int64_t> next_clocks) {
    std::vector<std::pair<int64_t, uint32_t>> sorted;
    for (uint32_t source = 0; source < next_clocks.size(); ++source)
        if (next_clocks[source] != ClockRuns::no_clock) sorted.emplace_back(next_clocks[source], source);
    std::ranges::sort(sorted);
    std::vector<uint32_t> times(next_clocks.size(), ReferenceHeap::no_time);
    uint32_t time = last_time;
    int64_t clock = ClockRuns::no_clock;
    for (auto [next, source] : sorted) {
        if (next != clock) ++time;
        clock = next;
        times[source] = time;
    }
    return times;
}

void HeapReplay::find_ties(const ClockRuns& runs, Ties& ties) {
    std::vector<uint32_t> after = times_after(runs.next);
    std::vector<size_t> next(sources_), end(sources_);
    size_t sum = 0;
    for (uint32_t source = 0; source < sources_; ++source) {
        next[source] = sum;
        end[source] = sum += runs.counts[source];
    }
    auto time_of = [&](uint32_t source) {
        return next[source] < end[source] ? runs.times[next[source]] : after[source];
    };
    uint32_t now = 0;
    group_.clear();
    replay(time_of, [&](uint32_t source) {
        uint32_t time = runs.times[next[source]++];
        if (time != now) end_group(now, ties);
        now = time;
        group_.push_back(source);
        return time_of(source);
    });
    end_group(now, ties);
}

void HeapReplay::end_group(uint32_t time, Ties& ties) {
    if (group_.size() > 1) {
        sorted_.clear();
        for (uint32_t source : group_) sorted_.push_back(uint64_t{source} << 32 | sorted_.size());
        std::ranges::sort(sorted_);
        for (uint64_t each : sorted_) ties.add(time, static_cast<uint32_t>(each));
    }
    group_.clear();
}

}  // namespace ovni
