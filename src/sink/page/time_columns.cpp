#include "sink/page/time_columns.hpp"

#include <utility>

namespace ovni {

int TimeColumns::shift_for(int64_t duration, size_t most_columns) {
    int shift = 0;
    while (static_cast<uint64_t>(duration >> shift) >= most_columns) ++shift;
    return shift;
}

void TimeColumns::add(uint32_t category, int64_t from, int64_t to) {
    if (to <= from) return;
    fit(to - 1);
    std::vector<int64_t>& columns = columns_of(category);
    const auto first = static_cast<size_t>(from >> shift_), last = static_cast<size_t>((to - 1) >> shift_);
    const int64_t width = int64_t{1} << shift_;
    if (first == last) {
        columns[first] += to - from;
        return;
    }
    columns[first] += (static_cast<int64_t>(first + 1) << shift_) - from;
    for (size_t column = first + 1; column < last; ++column) columns[column] += width;
    columns[last] += to - (static_cast<int64_t>(last) << shift_);
}

void TimeColumns::fit(int64_t duration) {
    if (static_cast<uint64_t>(duration >> shift_) < most_columns_) return;
    const int by = shift_for(duration, most_columns_) - shift_;
    for (auto& [category, columns] : sums_) {
        std::vector<int64_t> wide(most_columns_);
        for (size_t column = 0; column < most_columns_; ++column) wide[column >> by] += columns[column];
        columns = std::move(wide);
    }
    shift_ += by;
}

}  // namespace ovni
