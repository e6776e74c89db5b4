// The innermost region of MPI_Pcontrol that a thread is in, by time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "messages/scan/found_ends.hpp"

namespace ovni {

class ThreadRegions {
 public:
    // `changes`: of each thread in the order of time.
    explicit ThreadRegions(const std::vector<RegionChange>& changes) {
        std::map<uint32_t, std::vector<int64_t>> open;
        for (const RegionChange& change : changes) {
            std::vector<int64_t>& stack = open[change.stream];
            if (change.what == RegionChange::What::open)
                stack.push_back(change.region);
            else if (auto found = std::ranges::find(stack.rbegin(), stack.rend(), change.region);
                     found != stack.rend())
                stack.erase(std::next(found).base());
            shown_[change.stream].emplace_back(change.time, stack.empty() ? 0 : stack.back());
        }
    }

    // 0: none.
    int64_t at(uint32_t stream, int64_t time) const {
        auto known = shown_.find(stream);
        return known == shown_.end() ? 0 : region_before(known->second, later_than(known->second, time));
    }
    // Calls take(region, begin, end) for each part of a time that has one region.
    template <class Take>
    void visit(uint32_t stream, int64_t begin, int64_t end, Take take) const {
        auto known = shown_.find(stream);
        if (known == shown_.end()) return take(0, begin, end);
        for (auto later = later_than(known->second, begin); begin < end; ++later) {
            const bool is_last = later == known->second.end() || later->first >= end;
            const int64_t until = is_last ? end : later->first;
            if (begin < until) take(region_before(known->second, later), begin, until);
            begin = until;
            if (is_last) return;
        }
    }

 private:
    using Shown = std::vector<std::pair<int64_t, int64_t>>;  // time, region from then on
    static Shown::const_iterator later_than(const Shown& shown, int64_t time) {
        return std::ranges::upper_bound(shown, time, {}, &std::pair<int64_t, int64_t>::first);
    }
    static int64_t region_before(const Shown& shown, Shown::const_iterator later) {
        return later == shown.begin() ? 0 : std::prev(later)->second;
    }

    std::map<uint32_t, Shown> shown_;  // by stream
};

}  // namespace ovni
