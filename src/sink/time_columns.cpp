#include "sink/time_columns.hpp"

#include <algorithm>

namespace ovni {

int TimeColumns::shift_for(int64_t duration, size_t most_columns) {
    int shift = 0;
    while (static_cast<uint64_t>(duration >> shift) >= most_columns) ++shift;
    return shift;
}

void TimeColumns::add_at(size_t column, Share share) {
    Cell& cell = cells_[column];
    const auto place = std::ranges::lower_bound(cell, share.category, {}, &Share::category);
    if (place != cell.end() && place->category == share.category)
        place->ns += share.ns;
    else
        cell.insert(place, share);
}

void TimeColumns::add(uint32_t category, int64_t from, int64_t to) {
    if (to <= from) return;
    fit(to - 1);
    while (from < to) {
        const int64_t column = from >> shift_;
        const int64_t until = std::min(to, (column + 1) << shift_);
        add_at(static_cast<size_t>(column), {category, until - from});
        from = until;
    }
}

void TimeColumns::fit(int64_t duration) {
    widen(std::max(shift_, shift_for(duration, cells_.size())));
}

void TimeColumns::widen(int shift) {
    if (shift == shift_) return;
    std::vector<Cell> narrow(cells_.size());
    narrow.swap(cells_);
    const int by = shift - shift_;
    for (size_t column = 0; column < narrow.size(); ++column)
        for (const Share& share : narrow[column]) add_at(by < 63 ? column >> by : 0, share);
    shift_ = shift;
}

}  // namespace ovni
