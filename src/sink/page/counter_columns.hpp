// A counter of a row, in columns of equal width: 2^shift ns. An amount is spread evenly over the time in
// which it was counted; of a level, a column has the highest value. The width doubles as often as the time
// needs it, so the columns do not depend on when the length of the trace became known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ovni {

class CounterColumns {
 public:
    enum class Measure : uint8_t { amount, level };
    // An amount of 1 has so many parts, so that all columns have some when it is spread over many.
    static constexpr uint64_t parts = 256;

    CounterColumns(Measure kind, size_t most_columns) : kind_(kind), most_columns_(most_columns) {}

    // Needs 0 <= from; nothing is added where to <= from.
    void add(uint64_t value, int64_t from, int64_t to);
    // Adds a column of other rows, as values() has it; both fit one duration.
    void add_column(size_t column, uint64_t value);
    // The least width that holds all until `duration`. Call before reading.
    void fit(int64_t duration);

    // Empty if nothing was counted, else most_columns of them. Amounts count in parts.
    const std::vector<uint64_t>& values() const { return values_; }
    size_t size() const { return most_columns_; }

    // Each column as two characters: the places in page_digits of a number in base 64, high digit first.
    // It is 0 for 0, else 1 + 63 * log2(value), so values are right to 0.6 %. Amounts count in parts. ".": as
    // the column before.
    std::string text(int64_t duration) const;

 private:
    void join(uint64_t& into, uint64_t value) const;

    Measure kind_;
    size_t most_columns_;
    int shift_ = 0;
    std::vector<uint64_t> values_;
};

}  // namespace ovni
