// Goes through the items of all ranks in one order, some at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/ranks.hpp"

namespace ovni {

// `mine`: in the order of time_of(item). Calls take(part of mine) as often on all ranks: what any rank has in
// a part comes before what any has in the next one. Parts have some 65536 items, or those of one time.
// Collective, as take may be.
template <class Item, class TimeOf, class Take>
void visit_parts_in_order(const Ranks& ranks, std::span<const Item> mine, TimeOf time_of, Take take) {
    constexpr size_t most = size_t{1} << 16;
    for (;;) {
        const int64_t until = ranks.allreduce(Op::min, most < mine.size() ? time_of(mine[most]) : INT64_MAX);
        const bool is_last = until == INT64_MAX;
        size_t count = 0;
        while (count < mine.size() && (is_last || time_of(mine[count]) < until)) ++count;
        // Many items of one time go together.
        if (ranks.allreduce(Op::max, static_cast<uint64_t>(count)) == 0)
            while (count < mine.size() && time_of(mine[count]) == until) ++count;
        take(mine.first(count));
        mine = mine.subspan(count);
        if (is_last) return;
    }
}

// Rank 0 gets all of it: a batch has the parts of all ranks, put together in the order of `mine` by
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
