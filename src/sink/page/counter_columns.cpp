#include "sink/page/counter_columns.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "sink/page/page_palette.hpp"
#include "sink/page/time_columns.hpp"

namespace ovni {

namespace {

__extension__ using Wide = unsigned __int128;

// The part of an amount that was counted until `passed` of `length` ns. Parts that follow one another add up
// to the whole.
uint64_t part(uint64_t amount, int64_t passed, int64_t length) {
    return static_cast<uint64_t>(Wide{amount} * static_cast<uint64_t>(passed) /
                                 static_cast<uint64_t>(length));
}

}  // namespace

void CounterColumns::join(uint64_t& into, uint64_t value) const {
    into = kind_ == Measure::amount ? into + value : std::max(into, value);
}

void CounterColumns::add_column(size_t column, uint64_t value) {
    values_.resize(most_columns_);
    join(values_[column], value);
}

void CounterColumns::add(uint64_t value, int64_t from, int64_t to) {
    if (value == 0 || to <= from) return;
    fit(to - 1);
    values_.resize(most_columns_);
    const auto last = static_cast<size_t>((to - 1) >> shift_);
    // An amount that is too large for parts is a wrong one.
    const uint64_t amount = std::min(value, UINT64_MAX / parts) * parts;
    uint64_t before = 0;
    for (auto column = static_cast<size_t>(from >> shift_); column <= last; ++column) {
        if (kind_ == Measure::level) {
            join(values_[column], value);
            continue;
        }
        const int64_t until = std::min(to, static_cast<int64_t>(column + 1) << shift_);
        const uint64_t counted = part(amount, until - from, to - from);
        join(values_[column], counted - before);
        before = counted;
    }
}

void CounterColumns::fit(int64_t duration) {
    const int by = std::max(TimeColumns::shift_for(duration, most_columns_) - shift_, 0);
    shift_ += by;
    if (by == 0 || values_.empty()) return;
    std::vector<uint64_t> wide(most_columns_);
    for (size_t column = 0; column < most_columns_; ++column) join(wide[column >> by], values_[column]);
    values_ = std::move(wide);
}

std::string CounterColumns::text(int64_t duration) const {
    constexpr double steps = 63;
    constexpr size_t base = page_digits.size();
    if (values_.empty()) return {};
    std::string all, before;
    const size_t used = std::min(most_columns_, static_cast<size_t>((duration >> shift_) + 1));
    for (size_t column = 0; column < used; ++column) {
        const uint64_t value = values_[column];
        const auto number =
            value == 0 ? size_t{0}
                       : 1 + static_cast<size_t>(std::lround(steps * std::log2(static_cast<double>(value))));
        std::string text{page_digits[number / base], page_digits[number % base]};
        all += text == before ? "." : text;
        before = std::move(text);
    }
    return all;
}

}  // namespace ovni
