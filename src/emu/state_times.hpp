// What a report says of states: how long the rows of the threads of every process showed which value, and how
// often they came to it from another. Of the channel types that have labels; a punctual state has no length.
// Memory is that of the values that have names: others of a mark type count together.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "emu/plan.hpp"
#include "emu/record.hpp"
#include "emu/system.hpp"

namespace ovni {

// Plain data, that ranks exchange.
struct StateTime {
    static constexpr int64_t unlabelled = INT64_MIN;  // values of a mark type without labels, together
    uint32_t process = 0;                             // in System
    uint32_t type = 0;
    int64_t value = 0;
    int64_t ns = 0;
    uint64_t times = 0;
};

class StateTimes {
 public:
    StateTimes(const System& system, const Plan& plan);

    // Of some looms, in order.
    void take(std::span<const Record> records);
    // What is still shown ends with the trace.
    void finish(int64_t duration);
    std::vector<StateTime> all() const;

 private:
    struct Sum {
        int64_t ns = 0;
        uint64_t times = 0;
    };
    using Sums = std::map<int64_t, Sum>;  // by value
    struct Column {
        uint16_t type = 0;
        bool names_nothing = false;  // has a label for 0, which else is nothing
        bool is_mark = false;
        std::set<int64_t> named;  // of a mark
    };
    struct Shown {
        int64_t value = 0, since = 0;
        Sum* sum = nullptr;  // nothing, or nothing so far
        bool began = false;
    };

    void show(uint32_t thread, size_t column, const Record& record);
    Sum* sum_of(uint32_t thread, size_t column, int64_t value);

    const System& system_;
    std::vector<Column> columns_;
    std::vector<uint16_t> column_of_type_;
    std::vector<std::unique_ptr<Shown[]>> threads_;  // then by column; made when they are first seen
    std::vector<std::unique_ptr<Sums[]>> processes_;
};

}  // namespace ovni
