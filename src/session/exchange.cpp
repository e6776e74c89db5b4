#include "session/exchange.hpp"

#include <algorithm>
#include <array>

namespace ovni {

namespace {

struct Key {
    int64_t time = 0;
    uint32_t order = 0;
    uint32_t missing = 1;  // is this one none?

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

// Pairs of neighbours at a time: stable, and every item is moved log2(ranks) times. The last merge is that
// into `all`.
template <class Item, class Items>
void merge(PerRank<std::span<const Item>> runs, Items& all) {
    std::vector<std::vector<Item>> merged;
    while (runs.size() > 2) {
        std::vector<std::vector<Item>> longer;
        PerRank<std::span<const Item>> next;
        for (size_t r = 0; r + 1 < runs.size(); r += 2) {
            std::vector<Item>& both = longer.emplace_back(runs[r].size() + runs[r + 1].size());
            std::ranges::merge(runs[r], runs[r + 1], both.begin(), in_order<Item>);
            next.push_back(both);
        }
        if (runs.size() % 2 == 1) {
            longer.emplace_back(runs.back().begin(), runs.back().end());
            next.push_back(longer.back());
        }
        merged = std::move(longer);
        runs = std::move(next);
    }
    std::ranges::merge(runs[0], runs[1], all.begin(), in_order<Item>);
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
    slice.may_have_messages = mine.may_have_messages;
    if (mine.may_have_messages) {
        auto messages = exchange<MessageRecord>(ranks_, mine.messages, keys, messages_);
        slice.messages.resize(total_size(messages));
        merge(std::move(messages), slice.messages);
    }
    slice.may_have_calls = mine.may_have_calls;
    if (mine.may_have_calls) {
        auto calls = exchange<MpiCall>(ranks_, mine.calls, keys, calls_);
        slice.calls.resize(total_size(calls));
        merge(std::move(calls), slice.calls);
    }
    if (breakdowns_ == Breakdowns::no) return;
    auto changes = exchange<BreakdownChange>(ranks_, mine.changes, keys, changes_);
    slice.changes.resize(total_size(changes));
    merge(std::move(changes), slice.changes);
}

}  // namespace ovni
