// The longest wait of each call, in the order of calls; of equal waits the first that was taken. Waits are
// mostly taken in the order of calls.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "messages/waits/wait.hpp"

namespace ovni {

// A call: its stream, and its enter there.
using CallPlace = std::pair<uint32_t, int64_t>;

class LongestOfCalls {
 public:
    void take(const Wait& wait) { take(wait, wait.begin); }
    // `enter`: of the call.
    void take(const Wait& wait, int64_t enter) {
        const CallPlace call{wait.stream, enter};
        if (!waits_.empty() && call_of(waits_.size() - 1) >= call) {
            if (call_of(waits_.size() - 1) == call) return keep_longer(waits_.back(), wait);
            is_sorted_ = false;
        }
        waits_.push_back(wait);
        enters_.push_back(enter);
    }
    Waits all() && { return is_sorted_ ? std::move(waits_) : sorted(); }

 private:
    CallPlace call_of(size_t taken) const { return {waits_[taken].stream, enters_[taken]}; }
    static void keep_longer(Wait& longest, const Wait& wait) {
        if (wait.length() > longest.length()) longest = wait;
    }
    Waits sorted() const {
        const auto call = [&](size_t taken) { return call_of(taken); };
        TableVector<size_t> order(waits_.size());
        std::iota(order.begin(), order.end(), size_t{0});
        std::ranges::stable_sort(order, {}, call);
        Waits all;
        for (size_t i = 0; i < order.size(); ++i)
            if (i > 0 && call(order[i]) == call(order[i - 1]))
                keep_longer(all.back(), waits_[order[i]]);
            else
                all.push_back(waits_[order[i]]);
        return all;
    }

    Waits waits_;
    TableVector<int64_t> enters_;  // of the calls
    bool is_sorted_ = true;
};

}  // namespace ovni
