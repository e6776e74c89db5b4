// The rows of a breakdown output: the values of all physical CPUs of the system, sorted, so that row r shows
// the r-th smallest. Fed with the changes of all CPUs in global order. As only the multiset of values counts,
// it is kept as a histogram, and a change from one value to another touches as many rows as there are
// distinct values between the two, not as many as there are CPUs.
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
    // The sum of changes, ascending by value, also where it is 0 in the end; and its effect, for changes
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
