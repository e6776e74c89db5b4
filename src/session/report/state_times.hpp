// Times of states for a report: how long the rows of the threads of every process showed which value, and how
// often they came to it from another. Only channel types that have labels count; a punctual state has no
// length. Memory is that of the values that have names: others of a mark type count together.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/value_index.hpp"
#include "base/wide_sum.hpp"
#include "emu/plan/plan.hpp"
#include "emu/plan/system.hpp"
#include "emu/records/record.hpp"

namespace ovni {

// Plain data, that ranks exchange.
struct StateTime {
    uint32_t process = 0;  // in System
    uint16_t type = 0;
    enum class Named : uint16_t {
        no,
        yes
    } named = Named::yes;  // no: a mark's values without label, together
    int64_t value = 0;     // of named ones
    uint64_t times = 0;
    WideSum ns;
};

class StateTimes {
 public:
    StateTimes(const System& system, const Plan& plan);

    // Records of some looms, in order.
    void take(std::span<const Record> records);
    // The trace ends, and all that is still shown ends with it.
    void finish(int64_t duration);
    std::vector<StateTime> all() const;

 private:
    struct Sum {
        int64_t value = 0;
        uint64_t times = 0;
        WideSum ns;
    };
    // The sums of a process in a column.
    struct Sums {
        ValueIndex place_of;  // in of_values
        std::vector<Sum> of_values;
        Sum unlabelled;
    };
    struct Column {
        uint16_t type = 0;
        bool names_nothing = false;  // has a label for 0, which else is nothing
        bool is_mark = false;
        ValueIndex named;  // of a mark
    };
    static constexpr uint32_t nothing = 0xffffffff, unlabelled = 0xfffffffe;
    struct Shown {
        int64_t value = 0, since = 0;
        uint32_t place = nothing;  // in Sums::of_values, or one of the above
        bool began = false;
    };
    struct Row {
        uint32_t process = 0;
        std::unique_ptr<Shown[]> columns;  // made when they are first seen
    };

    void show(uint32_t thread, size_t column, const Record& record);
    uint32_t place_of(Sums& sums, const Column& column, int64_t value);
    static Sum& sum_at(Sums& sums, uint32_t place) {
        return place == unlabelled ? sums.unlabelled : sums.of_values[place];
    }

    std::vector<Column> columns_;
    std::vector<uint16_t> column_of_type_;
    std::vector<Row> threads_;
    std::vector<std::unique_ptr<Sums[]>> processes_;  // then by column; made when they are first seen
};

}  // namespace ovni
