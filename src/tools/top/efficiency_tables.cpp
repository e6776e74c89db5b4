#include "tools/top/efficiency_tables.hpp"

#include <algorithm>
#include <utility>

#include "mpi_function_rows.hpp"
#include "tools/top/rank_cells.hpp"

namespace ovni {

namespace {

std::vector<DataColumn> columns_of_efficiencies() {
    return {number_column("ranks", "ranks", 6),
            time_column("runtime_ns", "seconds", 12),
            ratio_column("parallel_efficiency", "parallel", 9),
            ratio_column("load_balance", "balance", 8),
            data_column("communication_efficiency"),
            ratio_column("serialisation_efficiency", "serialisation", 14),
            ratio_column("transfer_efficiency", "transfer", 9),
            text_column("region", "region", 0, 2),
            data_column("ideal_runtime_ns"),
            data_column("useful_ns"),
            data_column("longest_useful_ns"),
            data_column("busiest_rank")};
}

DataTable::Row row_of_efficiency(const Efficiency& of, const RankNames& ranks, const Cell& region) {
    return {of.processes,       of.runtime,         of.parallel(),     of.load_balance(),
            of.communication(), of.serialisation(), of.transfer(),     region,
            of.ideal_runtime,   of.useful_sum,      of.longest_useful, rank_cell(ranks, of.busiest)};
}

}  // namespace

DataTable table_of_sentences(std::string name, const std::vector<std::string>& sentences) {
    DataTable table{std::move(name), {data_column("sentence")}};
    table.form = DataTable::Form::left_out;
    table.before = sentences;
    for (const std::string& sentence : sentences) table.rows.push_back({sentence});
    return table;
}

DataTable table_of_run(const std::vector<Efficiency>& all, const System& system) {
    DataTable table{"run", columns_of_efficiencies()};
    table.form = DataTable::Form::left_out;
    if (all.empty()) return table;
    table.before = efficiency_lines(all.front(), system);
    table.before.insert(table.before.begin(), "");
    table.rows = {row_of_efficiency(all.front(), RankNames(system), {})};
    return table;
}

DataTable table_of_critical_path(const CriticalPath& path, const System& system, const RegionNames& regions,
                                 const CallSites& sites) {
    DataTable table{"critical_path",
                    {data_column("rank"), data_column("function"), data_column("region"),
                     data_column("time_ns"), data_column("share_percent"), data_column("called_by")}};
    table.form = DataTable::Form::left_out;
    table.before = critical_path_lines(path, system, sites);
    const RankNames ranks(system);
    uint64_t whole = 0;
    for (const PathSum& sum : path.sums) whole += static_cast<uint64_t>(sum.ns);
    for (const PathSum& sum : path.sums)
        table.rows.push_back({rank_cell(ranks, sum.process), function_cell(sum.activity.function),
                              label_cell(sum.activity.region, regions), sum.ns,
                              share(static_cast<uint64_t>(sum.ns), whole),
                              call_site_cell(sum.activity.site, sites)});
    std::ranges::stable_sort(table.rows, std::ranges::greater(),
                             [](const DataTable::Row& row) { return row[3].number(); });
    return table;
}

DataTable table_of_regions(const std::vector<Efficiency>& all, const System& system,
                           const RegionNames& regions) {
    DataTable table{"regions", columns_of_efficiencies()};
    table.before = {""};
    const RankNames ranks(system);
    for (const Efficiency& of : all)
        if (of.region != 0)
            table.rows.push_back(row_of_efficiency(of, ranks, label_cell(of.region, regions)));
    if (table.rows.empty()) hide_text(table);
    return table;
}

}  // namespace ovni
