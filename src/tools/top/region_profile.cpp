#include "tools/top/region_profile.hpp"

#include <algorithm>
#include <utility>

#include "base/printable.hpp"
#include "ovni/mpi_events.h"
#include "tools/top/thread_reading.hpp"

namespace ovni {

namespace {

std::vector<DataColumn> columns_of_regions() {
    return {rank_column(8),
            text_column("region", "region", 24),
            number_column("visits", "visits", 10),
            time_column("inclusive_ns", "seconds", 14),
            share_column(),
            time_column("exclusive_ns", "without inner", 14)};
}

void add_spread(DataTable::Row& row, const Spread& spread) {
    for (const uint64_t nanoseconds : {spread.least, spread.mean(), spread.most})
        row.emplace_back(nanoseconds);
}

// Most time first.
template <class Map, class Time>
auto sorted(const Map& regions, Time time) {
    std::vector<std::pair<int64_t, typename Map::mapped_type>> rows(regions.begin(), regions.end());
    std::ranges::stable_sort(rows, [&](const auto& a, const auto& b) { return time(a) > time(b); });
    return rows;
}

}  // namespace

void RegionProfile::add(const Stream& stream, StreamReader reader) {
    for (const MarkType& marks : *stream.metadata.common->marks)
        if (marks.type == OVNI_MPI_REGION_MARK) names_.insert(marks.labels.begin(), marks.labels.end());
    Process& process = processes_[process_of(stream)];
    ThreadInRegions thread(process.sums);
    read_thread(stream, reader, thread, process.time, [&](const EventView& event) {
        if (!event.jumbo()) thread.take(event.code, event.payload(), event.clock);
    });
}

std::string RegionProfile::name_of(int64_t region) const {
    const auto name = names_.find(region);
    return name == names_.end() ? std::to_string(region) : one_line(name->second);
}

DataTable::Row RegionProfile::row_of(const Cell& rank, int64_t region, const RegionSums& sums,
                                     WideSum whole) const {
    return {rank, name_of(region), sums.visits, sums.inclusive, share(sums.inclusive, whole), sums.exclusive};
}

DataTable RegionProfile::table_of_all() const {
    std::map<int64_t, RegionInAll> all;
    WideSum time;
    for (const auto& [key, process] : processes_) {
        for (const auto& [region, sums] : process.sums) all[region].add(sums);
        time += process.time.of_process();
    }
    DataTable table{"all", columns_of_regions()};
    for (DataColumn column :
         {number_column("ranks", "ranks", 6), time_column("inclusive_min_ns", "of each: min", 12),
          time_column("inclusive_mean_ns", "mean", 12), time_column("inclusive_max_ns", "max", 12),
          time_column("exclusive_min_ns", "w/o: min", 12), time_column("exclusive_mean_ns", "mean", 12),
          time_column("exclusive_max_ns", "max", 12)})
        table.columns.push_back(std::move(column));
    for (const auto& [region, of] :
         sorted(all, [](const auto& row) { return row.second.sums.inclusive.number(); })) {
        DataTable::Row row = row_of({}, region, of.sums, time);
        row.emplace_back(of.inclusive.processes);
        add_spread(row, of.inclusive);
        add_spread(row, of.exclusive);
        table.rows.push_back(std::move(row));
    }
    return table;
}

std::vector<DataTable> RegionProfile::tables() const {
    DataTable by_rank{"by_rank", columns_of_regions()};
    by_rank.form = DataTable::Form::rows;
    for (const auto& [key, process] : processes_)
        for (const auto& [region, sums] :
             sorted(process.sums, [](const auto& row) { return row.second.inclusive.number(); }))
            by_rank.rows.push_back(
                row_of(rank_cell(key, processes_), region, sums, process.time.of_process()));
    return {table_of_all(), std::move(by_rank)};
}

}  // namespace ovni
