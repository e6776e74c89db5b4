// The timeline of a page, reduced while records come: the time of each row, and of each host if rows are
// many, in categories and columns; and windows in full (page_windows.hpp). Each rank reduces its own rows,
// which follow one another. Memory is bounded by rows and columns.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/ranks.hpp"
#include "emu/records/schema.hpp"
#include "messages/traffic_rows.hpp"
#include "sink/page/page_counters.hpp"
#include "sink/page/page_groups.hpp"
#include "sink/page/page_palette.hpp"
#include "sink/page/page_states.hpp"
#include "sink/page/page_windows.hpp"
#include "sink/page/region_instances.hpp"
#include "sink/page/row_owners.hpp"
#include "sink/page/time_columns.hpp"

namespace ovni {

class PageTimeline {
 public:
    // `ranks` outlives the timeline.
    PageTimeline(const Ranks& ranks, const Schema& schema, std::span<const WaitRow> longest_waits);

    // Collective: rows get their records, and all ranks learn of new regions.
    void share(std::span<const Record> records);
    // Local, after share() of these records.
    void write(std::span<const MessageRecord> messages);
    // Collective; the member `timeline` of the page on rank 0. `schema`: with all labels.
    nlohmann::ordered_json end(const Schema& schema, int64_t duration);

 private:
    struct Row {
        PageState state;
        int64_t since = 0, region_since = 0;
    };
    uint32_t first_row_of(size_t rank) const;
    // The row whose rank needs it; Record::no_row: the timeline does not show it.
    uint32_t row_of(const Record& record) const;
    void add_region(const RegionInstance& instance);
    void add_wait(const WaitRow& wait);
    void apply(const Record& record);
    void end_category(Row& row, uint32_t number, int64_t time);
    void end_region(Row& row, int64_t time);
    void merge(std::vector<TimeColumns>& columns) const;
    nlohmann::ordered_json clips(const PagePalette& palette, const PagePalette& regions);
    nlohmann::ordered_json windows(const PagePalette& palette, const PagePalette& regions,
                                   const FileSchema& threads);
    nlohmann::ordered_json messages() const;

    const Ranks& ranks_;
    const RowOwners owners_;
    size_t row_count_;
    PageGroups hosts_;
    std::vector<std::string> host_names_;
    bool is_folded_;
    uint32_t first_row_, end_row_;  // of this rank
    std::vector<Row> rows_;
    std::vector<TimeColumns> of_rows_, of_hosts_;  // of hosts: if rows are folded
    std::vector<TimeColumns> of_regions_;          // one, of all rows
    PagePalette::Times times_, region_times_;
    PageWindows windows_;
    PageCounters counters_;
    RegionInstances regions_;
    std::map<int64_t, size_t> window_of_region_;
    int64_t last_time_ = 0;
    std::vector<Record> mine_;  // records of this rank's rows
};

}  // namespace ovni
