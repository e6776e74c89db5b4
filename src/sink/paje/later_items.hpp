// Items that belong to a later time than the slice that brings them, such as ends of messages, in outputs
// that are in the order of time. An item of a time stands before the first record or message of a later one,
// in whatever slice that is. Item: plain data, with `time` and a key() that orders all.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/ranks.hpp"
#include "sink/sink.hpp"

namespace ovni {

template <class Item>
class LaterItems {
 public:
    void add(const Item& item) { items_.push_back(item); }

    // Many ranks only: this rank gets the items that belong into its slice. Collective.
    void share(const Ranks& ranks, const Slice& slice) {
        const PerRank<int64_t> firsts = ranks.allgather(first_time(slice));
        const int64_t last = ranks.allreduce(Op::max, last_time(slice));
        PerRank<std::vector<Item>> to(firsts.size());
        const auto stays =
            std::partition(items_.begin(), items_.end(), [&](const Item& item) { return item.time >= last; });
        for (auto item = stays; item != items_.end(); ++item) to[owner(firsts, item->time)].push_back(*item);
        items_.erase(stays, items_.end());
        due_ = ranks.alltoallv_joined(std::move(to));
        std::ranges::sort(due_, {}, &Item::key);
    }
    // For a single rank: sorts all items, as items that are due stand among others.
    void sort() {
        due_.insert(due_.end(), items_.begin(), items_.end());
        items_.clear();
        std::ranges::sort(due_, {}, &Item::key);
    }
    // Calls take(item) for those before that time, in order.
    template <class Take>
    void take_before(int64_t time, Take take) {
        for (; next_ < due_.size() && due_[next_].time < time; ++next_) take(due_[next_]);
    }
    // Call when no further items are taken of this slice.
    void end_slice() {
        due_.erase(due_.begin(), due_.begin() + static_cast<std::ptrdiff_t>(next_));
        next_ = 0;
    }
    // All items that are left, on rank 0. Collective.
    std::vector<Item> rest(const Ranks& ranks) {
        sort();
        std::vector<Item> all = ranks.gather_joined(due_);
        std::ranges::sort(all, {}, &Item::key);
        return all;
    }

 private:
    static constexpr int64_t none = INT64_MAX;

    static int64_t first_time(const Slice& slice) {
        int64_t first = none;
        if (!slice.records.empty()) first = slice.records.front().time;
        if (!slice.messages.empty()) first = std::min(first, slice.messages.front().time);
        return first;
    }
    static int64_t last_time(const Slice& slice) {
        int64_t last = INT64_MIN;
        if (!slice.records.empty()) last = slice.records.back().time;
        if (!slice.messages.empty()) last = std::max(last, slice.messages.back().time);
        return last;
    }
    // The last rank whose slice begins by then, or else the first that has any.
    static size_t owner(const PerRank<int64_t>& firsts, int64_t time) {
        size_t found = 0;
        while (found < firsts.size() - 1 && firsts[found] == none) ++found;
        for (size_t r = found; r < firsts.size(); ++r)
            if (firsts[r] <= time) found = r;
        return found;
    }

    std::vector<Item> items_;  // that may belong to any later slice
    std::vector<Item> due_;    // of this slice, in order
    size_t next_ = 0;          // in due_
};

}  // namespace ovni
