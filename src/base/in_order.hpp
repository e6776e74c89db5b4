// Hands rank 0 what all ranks have, in one order and some at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/ranks.hpp"

namespace ovni {

// `mine`: in the order of key_of(item), whose first element is time_of(item). Calls take(batch) on all ranks
// as often as there are batches; on rank 0 a batch is sorted and follows the one before, on others it is
// empty. Memory: some 65536 items of each rank, or those of one time. Collective, as take may be.
template <Flat Item, class TimeOf, class KeyOf, class Take>
void visit_in_order(const Ranks& ranks, std::span<const Item> mine, TimeOf time_of, KeyOf key_of, Take take) {
    constexpr size_t most = size_t{1} << 16;
    for (;;) {
        const int64_t until = ranks.allreduce(Op::min, most < mine.size() ? time_of(mine[most]) : INT64_MAX);
        const bool is_last = until == INT64_MAX;
        size_t count = 0;
        while (count < mine.size() && (is_last || time_of(mine[count]) < until)) ++count;
        // Many items of one time go together.
        if (ranks.allreduce(Op::max, static_cast<uint64_t>(count)) == 0)
            while (count < mine.size() && time_of(mine[count]) == until) ++count;
        const std::span<const Item> part = mine.first(count);
        std::vector<Item> batch = ranks.gather_joined(std::vector<Item>(part.begin(), part.end()));
        std::ranges::sort(batch, {}, key_of);
        take(batch);
        mine = mine.subspan(count);
        if (is_last) return;
    }
}

}  // namespace ovni
