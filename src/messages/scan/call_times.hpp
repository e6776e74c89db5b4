// The calls of one thread, one after the other, in 18 bytes for each. Memory comes in pieces and is not
// moved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>

namespace ovni {

struct CallTime {
    int64_t enter = 0, leave = 0;
    uint16_t function = 0;  // in mpi_function_rows
    uint32_t request = 0;   // that it is for; 0: none, or many
};

class CallTimes {
 public:
    size_t size() const { return enters_.size(); }
    bool empty() const { return enters_.empty(); }
    void push_back(const CallTime& call) {
        const int64_t length = call.leave - call.enter;
        const bool is_short = length >= 0 && length < longest;
        if (!is_short) leaves_[size()] = call.leave;
        enters_.push_back(call.enter);
        lengths_.push_back(is_short ? static_cast<uint32_t>(length) : longest);
        functions_.push_back(call.function);
        requests_.push_back(call.request);
    }
    int64_t enter(size_t index) const { return enters_[index]; }
    int64_t leave(size_t index) const {
        return lengths_[index] == longest ? leaves_.at(index) : enters_[index] + lengths_[index];
    }
    uint16_t function(size_t index) const { return functions_[index]; }
    uint32_t request(size_t index) const { return requests_[index]; }
    // The first call that `is_before` is false for; it is true for all that come before.
    template <class IsBefore>
    size_t first_not(IsBefore is_before) const {
        size_t begin = 0;
        for (size_t count = size(); count > 0;) {
            const size_t half = count / 2;
            if (is_before(begin + half)) {
                begin += half + 1;
                count -= half + 1;
            } else {
                count = half;
            }
        }
        return begin;
    }

 private:
    static constexpr uint32_t longest = UINT32_MAX;  // ns, and what stands for more

    std::deque<int64_t> enters_;
    std::deque<uint32_t> lengths_;
    std::deque<uint16_t> functions_;
    std::deque<uint32_t> requests_;
    std::map<size_t, int64_t> leaves_;  // of calls that are longer
};

}  // namespace ovni
