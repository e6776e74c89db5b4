// How long a row was in each category, in columns of equal width: 2^shift ns. The width doubles as often as
// the time needs it, so the sums do not depend on how the time came to be known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ovni {

class TimeColumns {
 public:
    struct Share {
        uint32_t category = 0;
        int64_t ns = 0;
    };
    using Cell = std::vector<Share>;  // ascending by category

    explicit TimeColumns(size_t most_columns) : cells_(most_columns) {}

    // Needs 0 <= from; nothing is added where to <= from.
    void add(uint32_t category, int64_t from, int64_t to);
    void add_at(size_t column, Share share);
    // The least width that holds all until `duration`. Call before reading.
    void fit(int64_t duration);

    const std::vector<Cell>& cells() const { return cells_; }
    int shift() const { return shift_; }
    static int shift_for(int64_t duration, size_t most_columns);

 private:
    void widen(int shift);

    std::vector<Cell> cells_;
    int shift_ = 0;
};

}  // namespace ovni
