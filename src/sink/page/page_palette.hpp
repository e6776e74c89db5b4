// The values that rows of a page show, most time first, and columns of time as text in terms of them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/ranks.hpp"
#include "sink/page/time_columns.hpp"

namespace ovni {

// Digits of numbers in the texts of columns.
inline constexpr std::string_view page_digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

class PagePalette {
 public:
    static constexpr size_t most_values = 200;
    using Times = std::map<uint32_t, int64_t>;  // ns by value

    // `mine`: of the rows of this rank. Collective; alike on all ranks.
    PagePalette(const Ranks& ranks, const Times& mine);

    const std::vector<uint32_t>& values() const { return values_; }
    // values().size() for values beyond it.
    size_t place_of(uint32_t value) const;

    // Each column as four characters, whose numbers are their places in page_digits: the value that has
    // most time, its share in 63rds, the next value, its share. Value 63 is any beyond the first 63. "-": no
    // time at all; ".": as the column before.
    std::string text(const TimeColumns& columns, int64_t duration, size_t rows) const;

 private:
    std::string cell(const TimeColumns& columns, size_t column, int64_t ns) const;

    std::vector<uint32_t> values_;
    std::map<uint32_t, size_t> places_;
};

}  // namespace ovni
