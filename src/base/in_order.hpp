// Processes the items of all ranks in one order, in parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/ranks.hpp"

namespace ovni {

// `mine`: sorted by time_of(item). Calls take(part of mine) equally often on all ranks: all items in part i,
// on any rank, come before those in part i + 1. Parts have some 65536 items, or all items of one time.
// Collective; take may be collective, too.
template <class Item, class TimeOf, class Take>
void visit_parts_in_order(const Ranks& ranks, std::span<const Item> mine, TimeOf time_of, Take take) {
    constexpr size_t most = size_t{1} << 16;
    for (;;) {
        const int64_t until = ranks.allreduce(Op::min, most < mine.size() ? time_of(mine[most]) : INT64_MAX);
        const bool is_last = until == INT64_MAX;
        size_t count = 0;
        while (count < mine.size() && (is_last || time_of(mine[count]) < until)) ++count;
        // All items of one time are in one part, even if they are many.
        if (ranks.allreduce(Op::max, static_cast<uint64_t>(count)) == 0)
            while (count < mine.size() && time_of(mine[count]) == until) ++count;
        take(mine.first(count));
        mine = mine.subspan(count);
        if (is_last) return;
    }
}

// Gathers all parts on rank 0: a batch has one part of every rank, sorted in the order of `mine` by
// sort(batch). It is empty on other ranks.
template <Flat Item, class TimeOf, class Sort, class Take>
void visit_in_order(const Ranks& ranks, std::span<const Item> mine, TimeOf time_of, Sort sort, Take take) {
    visit_parts_in_order(ranks, mine, time_of, [&](std::span<const Item> part) {
        std::vector<Item> batch = ranks.gather_joined(std::vector<Item>(part.begin(), part.end()));
        if (!ranks.is_alone()) sort(batch);
        take(batch);
    });
}

}  // namespace ovni
