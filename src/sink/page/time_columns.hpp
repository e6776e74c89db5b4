// How long rows were in each category, in columns of equal width: 2^shift ns. The width doubles as often as
// the time needs it, so the sums do not depend on when the length of the trace became known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace ovni {

class TimeColumns {
 public:
    explicit TimeColumns(size_t most_columns) : most_columns_(most_columns) {}

    // Needs 0 <= from; nothing is added where to <= from.
    void add(uint32_t category, int64_t from, int64_t to);
    // Adds the sum of other rows; both fit one duration.
    void add_sum(uint32_t category, size_t column, int64_t ns) { columns_of(category)[column] += ns; }
    // The least width that holds all until `duration`. Call before reading.
    void fit(int64_t duration);

    // ns by category, then by column.
    const std::map<uint32_t, std::vector<int64_t>>& sums() const { return sums_; }
    size_t size() const { return most_columns_; }
    int shift() const { return shift_; }
    static int shift_for(int64_t duration, size_t most_columns);

 private:
    std::vector<int64_t>& columns_of(uint32_t category) {
        return sums_.try_emplace(category, most_columns_).first->second;
    }

    size_t most_columns_;
    int shift_ = 0;
    std::map<uint32_t, std::vector<int64_t>> sums_;
};

}  // namespace ovni
