#include "session/replay/exchange.hpp"

#include <algorithm>
#include <array>

namespace ovni {

namespace {

struct Key {
    int64_t time = 0;
    uint32_t order = 0;
    uint32_t missing = 1;  // 1: there is no such key

    Moment moment() const { return {time, order}; }
};

// The keys at which the slices of ranks 1, 2, ... begin, from samples at regular distances in the records of
// every rank.
std::vector<Key> splitters(const Ranks& ranks, std::span<const Record> mine) {
    constexpr size_t samples_per_rank = 64;
    std::array<Key, samples_per_rank> samples;
    size_t count = std::min(samples_per_rank, mine.size());
    for (size_t i = 0; i < count; ++i) {
        const Record& record = mine[i * mine.size() / count];
        samples[i] = {record.time, record.order, 0};
    }
    std::vector<Key> all;
    for (const auto& of_rank : ranks.allgather(samples))
        all.insert(all.end(), of_rank.begin(), of_rank.end());
    std::erase_if(all, [](const Key& key) { return key.missing != 0; });
    std::ranges::stable_sort(all, in_order<Key>);
    std::vector<Key> chosen;
    auto slices = static_cast<size_t>(ranks.size());
    for (size_t r = 1; r < slices; ++r)
        chosen.push_back(all.empty() ? Key{} : all[std::min(r * all.size() / slices, all.size() - 1)]);
    return chosen;
}

// Stable. From both ends at once, and without a branch that the processor could only guess: the steps of one
// end do not wait for those of the other. Neither end can run out of one run within as many steps as that has
// left.
template <class Item>
void merge_two(std::span<const Item> a, std::span<const Item> b, Item* out) {
    const Item *first_a = a.data(), *first_b = b.data(), *end_a = first_a + a.size(),
               *end_b = first_b + b.size();
    Item* end = out + a.size() + b.size();
    constexpr std::ptrdiff_t fewest = 8;
    for (;;) {
        const std::ptrdiff_t steps = std::min(end_a - first_a, end_b - first_b);
        if (steps < fewest) break;
        for (std::ptrdiff_t i = 0; i < steps; ++i) {
            const bool b_is_first = in_order(*first_b, *first_a);
            *out++ = *(b_is_first ? first_b : first_a);
            first_a += !b_is_first;
            first_b += b_is_first;
            const bool a_is_last = in_order(end_b[-1], end_a[-1]);
            *--end = (a_is_last ? end_a : end_b)[-1];
            end_a -= a_is_last;
            end_b -= !a_is_last;
        }
    }
    std::merge(first_a, end_a, first_b, end_b, out, in_order<Item>);
}

// Pairs of neighbours at a time: every item is moved log2(ranks) times. The last merge is that into `all`.
template <class Item, class Items>
void merge(PerRank<std::span<const Item>> runs, Items& all) {
    std::vector<std::vector<Item>> merged;
    while (runs.size() > 2) {
        std::vector<std::vector<Item>> longer;
        PerRank<std::span<const Item>> next;
        for (size_t r = 0; r + 1 < runs.size(); r += 2) {
            std::vector<Item>& both = longer.emplace_back(runs[r].size() + runs[r + 1].size());
            merge_two(runs[r], runs[r + 1], both.data());
            next.push_back(both);
        }
        if (runs.size() % 2 == 1) {
            longer.emplace_back(runs.back().begin(), runs.back().end());
            next.push_back(longer.back());
        }
        merged = std::move(longer);
        runs = std::move(next);
    }
    merge_two(runs[0], runs[1], all.data());
}

template <class Item>
size_t total_size(const PerRank<std::span<const Item>>& runs) {
    size_t sum = 0;
    for (const auto& run : runs) sum += run.size();
    return sum;
}

template <class Item>
PerRank<std::span<const Item>> exchange(const Ranks& ranks, std::span<const Item> mine,
                                        const std::vector<Key>& keys, std::vector<Item>& room) {
    PerRank<std::span<const Item>> parts;
    auto from = mine.begin();
    for (const Key& key : keys) {
        auto to = std::lower_bound(from, mine.end(), key,
                                   [](const Item& item, const Key& k) { return item.moment() < k.moment(); });
        parts.emplace_back(from, to);
        from = to;
    }
    parts.emplace_back(from, mine.end());
    return ranks.alltoallv(parts, room);
}

}  // namespace

void Exchange::to_slices(Stretch& mine, Stretch& slice) {
    if (ranks_.size() == 1) return std::swap(mine, slice);
    std::vector<Key> keys = splitters(ranks_, mine.records);
    auto records = exchange<Record>(ranks_, mine.records, keys, records_);
    slice.records.resize_for_overwrite(total_size(records));
    merge(std::move(records), slice.records);
    const auto bring = [&]<class Item>(const std::vector<Item>& of_mine, std::vector<Item>& room,
                                       std::vector<Item>& of_slice) {
        auto runs = exchange<Item>(ranks_, of_mine, keys, room);
        of_slice.resize(total_size(runs));
        merge(std::move(runs), of_slice);
    };
    slice.may_have_messages = mine.may_have_messages;
    if (mine.may_have_messages) bring(mine.messages, messages_, slice.messages);
    slice.may_have_calls = mine.may_have_calls;
    if (mine.may_have_calls) bring(mine.calls, calls_, slice.calls);
    if (breakdowns_ == Breakdowns::no) return;
    bring(mine.changes, changes_, slice.changes);
}

}  // namespace ovni
