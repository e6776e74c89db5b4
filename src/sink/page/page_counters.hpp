// Counters in the timeline of a page, of the model `counters`: those of rows in columns, and those of hosts
// if rows are folded. A count of a thread belongs to the time since its last count, or since it came to run
// again. The memory of a process stands in the row of its first thread. Each rank reduces its own rows.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/ranks.hpp"
#include "emu/plan/plan.hpp"
#include "emu/records/record.hpp"
#include "emu/records/schema.hpp"
#include "sink/page/counter_columns.hpp"
#include "sink/page/page_groups.hpp"
#include "sink/page/row_owners.hpp"

namespace ovni {

class PageCounters {
 public:
    // Rows [first_row, end_row) are those of this rank. `owners` and `hosts` outlive the counters; hosts of
    // rows that are not folded are null.
    PageCounters(const Schema& schema, const RowOwners& owners, const PageGroups* hosts, uint32_t first_row,
                 uint32_t end_row);

    // True for types of counters of that model.
    static constexpr bool shows(uint32_t type) { return type >= prv_type::first_instant; }
    // The row that shows the record, which is one of a counter.
    uint32_t row_of(const Record& record) const;
    // A record of a counter, in a row of this rank.
    void take(const Record& record);
    // Any other record of such a row.
    void follow(const Record& record);

    // Collective; the member `counters` of the timeline on rank 0. `end`: of all ranks.
    nlohmann::ordered_json end(const Ranks& ranks, int64_t end);
    bool is_empty() const { return counters_.empty(); }

 private:
    using Columns = std::vector<CounterColumns>;  // by counter
    // The last record of a counter.
    struct Last {
        int64_t time = 0;
        uint64_t level = 0;
    };
    struct Row {
        bool counts_at_once = false, has_run = false, is_counting = false;
        int64_t counts_since = 0;
        int64_t ended = 0;       // INT64_MAX: its thread lives
        std::vector<Last> last;  // by counter
        Columns columns;         // empty where rows are too many
    };
    struct Counter {
        std::string name;
        uint32_t type;  // as files show it
        CounterColumns::Measure kind;
    };
    void add(uint32_t row, size_t counter, uint64_t value, int64_t from, int64_t to);
    size_t columns_for(size_t rows) const;
    Columns columns_of_one(size_t rows) const;
    void follow_state(Row& row, int64_t state, int64_t time);
    void end_levels(const Ranks& ranks, int64_t end);
    void merge_hosts(const Ranks& ranks);

    const RowOwners& owners_;
    const PageGroups* hosts_;
    std::vector<Counter> counters_;  // by type, from prv_type::first_instant
    std::vector<uint32_t> first_row_of_process_;
    uint32_t first_row_;
    std::vector<Row> rows_;
    std::vector<Columns> of_hosts_;
};

}  // namespace ovni
