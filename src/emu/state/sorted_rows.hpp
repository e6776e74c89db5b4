// The rows of a breakdown output: the values of all physical CPUs of the system, sorted, so that row r shows
// the r-th smallest. Fed with the changes of all CPUs in global order. Only the multiset of values counts, so
// it is kept as a histogram. A change from one value to another touches one row for each distinct value
// between the two, however many CPUs there are.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "emu/records/record.hpp"
#include "emu/state/breakdown_values.hpp"

namespace ovni {

class SortedRows {
 public:
    // All CPUs have the value 0. `type`: PRV type of the lines.
    SortedRows(uint16_t type, size_t cpus);

    // Changes of whole events, in order: appends their lines, as records with the row as thread row.
    void apply(std::span<const BreakdownChange> changes, std::vector<Record>& lines);

    // How many CPUs more or fewer have a value.
    struct Bar {
        int64_t value = 0;
        int64_t count = 0;
    };
    // sum_of() adds up changes, ascending by value, with sums that are 0. skip() applies a sum, for changes
    // whose lines another rank writes.
    static std::vector<Bar> sum_of(std::span<const BreakdownChange> changes);
    void skip(std::span<const Bar> sum);

 private:
    // A row that an event may have changed, and what it showed before.
    struct Moved {
        uint32_t row = 0;
        int64_t before = 0, after = 0;
    };

    void move(int64_t before, int64_t after, bool noting);
    void note(int64_t row, int64_t before, int64_t after);
    void add(Bar difference);
    void write_event(const BreakdownChange& of_event, std::vector<Record>& lines);

    uint16_t type_;
    std::vector<Bar> bars_;  // ascending by value, none empty
    std::vector<Moved> moved_;
    bool first_ = true;  // the first change of a trace writes all rows
};

}  // namespace ovni
