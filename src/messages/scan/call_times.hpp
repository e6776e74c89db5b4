// The calls of one thread, one after the other, in 18 bytes for each. Memory comes in pieces that grow, and
// is not moved.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <unordered_map>
#include <vector>

#include "base/table_memory.hpp"
#include "model/mpi_sums.hpp"

namespace ovni {

struct CallTime {
    int64_t enter = 0, leave = 0;
    uint16_t function = 0;               // in mpi_function_rows
    uint32_t request = 0;                // that it is for; 0: none, or many
    uint32_t site = MpiCaller::unknown;  // that it comes from
};

// Numbers for functions with their call sites, as they come. If there are too many, the sites that come last
// are unknown.
class CallerNumbers {
 public:
    struct Caller {
        uint16_t function = 0;
        uint32_t site = MpiCaller::unknown;
    };
    uint16_t of(const Caller& caller) {
        // Mostly a function is called from where it was called before.
        uint16_t& last = last_[caller.function];
        if (last < callers_.size() && callers_[last].function == caller.function &&
            callers_[last].site == caller.site)
            return last;
        const uint64_t key = uint64_t{caller.site} << 16 | caller.function;
        if (const auto known = numbers_.find(key); known != numbers_.end()) return last = known->second;
        // Each function has room to come from an unknown site.
        if (callers_.size() + last_.size() > UINT16_MAX && caller.site != MpiCaller::unknown)
            return of({caller.function, MpiCaller::unknown});
        last = static_cast<uint16_t>(callers_.size());
        callers_.push_back(caller);
        numbers_.emplace(key, last);
        return last;
    }
    const Caller& operator[](uint16_t number) const { return callers_[number]; }

 private:
    std::vector<Caller> callers_;
    // The number that came last, by function.
    std::vector<uint16_t> last_ = std::vector<uint16_t>(std::size(mpi_function_rows));
    std::unordered_map<uint64_t, uint16_t> numbers_;
};

class CallTimes {
 public:
    size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    void push_back(const CallTime& call) {
        const int64_t length = call.leave - call.enter;
        const bool is_short = length >= 0 && length < longest;
        if (!is_short) leaves_[size_] = call.leave;
        const auto [piece, at] = place_of(size_);
        if (piece == pieces_.size()) pieces_.push_back(make_table_block<Packed>(room_of(piece)));
        pieces_[piece][at] = {call.enter, is_short ? static_cast<uint32_t>(length) : longest, call.request,
                              callers_.of({call.function, call.site})};
        ++size_;
    }
    int64_t enter(size_t index) const { return of(index).enter; }
    int64_t leave(size_t index) const {
        const Packed& call = of(index);
        return call.length == longest ? leaves_.at(index) : call.enter + call.length;
    }
    uint16_t function(size_t index) const { return callers_[of(index).caller].function; }
    uint32_t site(size_t index) const { return callers_[of(index).caller].site; }
    uint32_t request(size_t index) const { return of(index).request; }
    // The first call for which `is_before` is false; it must be true for all calls before.
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
    static constexpr uint32_t longest = UINT32_MAX;  // ns; it also stands for a longer time
    struct [[gnu::packed]] Packed {
        int64_t enter;
        uint32_t length, request;
        uint16_t caller;  // in callers_
    };
    static_assert(sizeof(Packed) == 18);

    // Pieces have room for 32 calls, 64, 128 and so on, and at last for this many.
    static constexpr size_t least_room = 32, most_room = size_t{1} << 16;
    static constexpr size_t smaller_pieces = std::countr_zero(most_room) - std::countr_zero(least_room);

    struct Place {
        size_t piece, at;
    };
    static size_t room_of(size_t piece) { return piece < smaller_pieces ? least_room << piece : most_room; }
    static Place place_of(size_t index) {
        const size_t number = index + least_room;
        if (number >= most_room) return {smaller_pieces + number / most_room - 1, number % most_room};
        const size_t room = std::bit_floor(number);
        return {static_cast<size_t>(std::countr_zero(room) - std::countr_zero(least_room)), number - room};
    }
    const Packed& of(size_t index) const {
        const auto [piece, at] = place_of(index);
        return pieces_[piece][at];
    }

    size_t size_ = 0;
    CallerNumbers callers_;
    std::vector<TableBlock<Packed>> pieces_;
    std::map<size_t, int64_t> leaves_;  // of calls that are longer
};

}  // namespace ovni
