#include "tools/top/hybrid_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "base/printable.hpp"
#include "messages/hybrid/use_facts.hpp"
#include "tools/top/profiled_process.hpp"
#include "tools/top/rank_cells.hpp"

namespace ovni {

namespace {

constexpr size_t most_ranks = 32;

std::vector<DataColumn> columns_of_hybrids() {
    std::vector<DataColumn> columns{number_column("threads", "threads", 7),
                                    time_column("runtime_ns", "seconds", 12),
                                    ratio_column("parallel_efficiency", "hybrid", 9),
                                    ratio_column("mpi_parallel_efficiency", "MPI", 9),
                                    ratio_column("thread_efficiency", "threads", 9),
                                    text_column("region", "region", 0, 2),
                                    data_column("mpi_load_balance"),
                                    data_column("mpi_communication_efficiency")};
    for (const FactorRow& row : hybrid_factors) columns.push_back(data_column(std::string(row.key)));
    return columns;
}

DataTable::Row row_of(const HybridEfficiency& of, const Cell& region) {
    DataTable::Row row{
        of.threads, of.runtime,     of.parallel(),         of.mpi_parallel(), of.threads_parallel(),
        region,     of.mpi_balance, of.mpi_communication()};
    for (const FactorRow& factor : hybrid_factors) row.push_back(of.factor(factor.use));
    return row;
}

std::vector<std::string> lines_of(const HybridEfficiency& of, const ThreadUseFacts& uses,
                                  const System& system) {
    std::vector<std::string> lines{"", fmt::format("{} threads of {} processes", of.threads, of.processes)};
    const auto add = [&](std::string_view name, double value) {
        lines.push_back(fmt::format("{:<34}{:.3f}", name, value));
    };
    add("hybrid parallel efficiency", of.parallel());
    add("  MPI parallel efficiency", of.mpi_parallel());
    add("    MPI load balance", of.mpi_balance);
    add("    MPI communication efficiency", of.mpi_communication());
    add("  thread efficiency", of.threads_parallel());
    for (const FactorRow& row : hybrid_factors) add(fmt::format("    {}", row.name), of.factor(row.use));
    if (!uses.sleepers.empty())
        lines.push_back(
            fmt::format("left out: {} threads that sleep for more than 95 % of their lives, as thread {}",
                        uses.sleepers.size(), system.threads()[uses.sleepers.front().thread_row].tid));
    return lines;
}

DataTable table_of_run(const std::vector<HybridEfficiency>& all, const ThreadUseFacts& uses,
                       const System& system) {
    DataTable table{"hybrid", columns_of_hybrids()};
    table.form = DataTable::Form::left_out;
    if (all.empty()) return table;
    table.before = lines_of(all.front(), uses, system);
    table.rows = {row_of(all.front(), {})};
    return table;
}

DataTable table_of_hybrid_regions(const std::vector<HybridEfficiency>& all, const RegionNames& regions) {
    DataTable table{"hybrid_regions", columns_of_hybrids()};
    table.before = {""};
    for (const HybridEfficiency& of : all)
        if (of.region != 0) table.rows.push_back(row_of(of, label_cell(of.region, regions)));
    if (table.rows.empty()) hide_text(table);
    return table;
}

DataColumn percent_column(std::string name, std::string heading, size_t width) {
    DataColumn column = number_column(std::move(name), std::move(heading), width);
    column.text.form = as_percent;
    return column;
}

// If there are many ranks, those with the least useful time come first.
DataTable table_of_ranks(const ThreadUseFacts& uses, const System& system, const RegionNames& regions) {
    DataTable table{"hybrid_ranks",
                    {full_rank_column("rank", "threads of", 12, 0), number_column("threads", "number", 7),
                     time_column("elapsed_ns", "seconds", 12)}};
    for (const std::string_view use : use_names) {
        table.columns.push_back(percent_column(fmt::format("{}_percent", use), fmt::format("{} %", use), 12));
        table.columns.push_back(data_column(fmt::format("{}_ns", use)));
    }
    table.columns.push_back(data_column("region"));
    table.before = {""};
    table.most_rows = most_ranks;
    std::vector<ProcessUse> ranks = uses.processes;
    const auto in_run = static_cast<size_t>(std::ranges::count(ranks, 0, &ProcessUse::region));
    const auto useful = [](const ProcessUse& use) {
        return share(static_cast<uint64_t>(time_of(use.times, Use::useful)),
                     static_cast<uint64_t>(life_of(use.times)))
            .number();
    };
    std::ranges::stable_sort(ranks, {}, [&](const ProcessUse& use) {
        return std::pair(use.region != 0, in_run > most_ranks ? useful(use) : 0);
    });
    const RankNames names(system);
    for (const ProcessUse& use : ranks) {
        if (use.region != 0) table.most_rows = std::min(table.most_rows, table.rows.size());
        DataTable::Row row{rank_cell(names, use.process), use.threads, use.elapsed};
        for (const int64_t time : use.times) {
            row.push_back(share(static_cast<uint64_t>(time), static_cast<uint64_t>(life_of(use.times))));
            row.push_back(time);
        }
        row.push_back(label_cell(use.region, regions));
        table.rows.push_back(std::move(row));
    }
    if (table.rows.empty()) hide_text(table);
    return table;
}

// Those with most lost time come first.
std::vector<ConstructUse> worst_first(std::vector<ConstructUse> sums) {
    std::ranges::stable_sort(sums, std::greater(), &ConstructUse::lost);
    return sums;
}

std::vector<DataColumn> columns_of_parallel_regions(bool has_lines) {
    DataColumn line = text_column("line", "line", 0, 2);
    line.text.is_shown = has_lines;
    return {rank_column(8),
            number_column("visits", "visits", 9),
            number_column("threads", "threads", 7),
            time_column("elapsed_ns", "seconds", 12),
            time_column("lost_ns", "lost", 12),
            percent_column("useful_percent", "useful %", 10),
            percent_column("imbalance_percent", "imbalance %", 12),
            percent_column("scheduling_percent", "scheduling %", 13),
            percent_column("locks_percent", "locks %", 9),
            text_column("parallel_region", "parallel region", has_lines ? 28 : 0, 2),
            std::move(line)};
}

Cell line_cell(int64_t value, const ParallelRegionNames& names) {
    const auto label = names.labels.find(value);
    const auto line = label == names.labels.end() ? names.lines.end() : names.lines.find(label->second);
    return line == names.lines.end() ? Cell() : one_line(line->second);
}

DataTable::Row row_of(const Cell& rank, const ConstructUse& use, const ParallelRegionNames& names) {
    const auto part = [&](Use of) {
        return share(static_cast<uint64_t>(time_of(use.times, of)),
                     static_cast<uint64_t>(life_of(use.times)));
    };
    return {rank,
            use.visits,
            use.threads,
            use.elapsed,
            use.lost(),
            part(Use::useful),
            part(Use::imbalance),
            part(Use::scheduling),
            part(Use::locks),
            label_cell(use.label, names.labels),
            line_cell(use.label, names)};
}

}  // namespace

std::vector<DataTable> hybrid_tables(const std::vector<HybridEfficiency>& all, const ThreadUseFacts& uses,
                                     const System& system, const RegionNames& regions) {
    std::vector<DataTable> tables{table_of_run(all, uses, system), table_of_hybrid_regions(all, regions),
                                  table_of_ranks(all.empty() ? ThreadUseFacts() : uses, system, regions)};
    if (all.empty()) std::ranges::for_each(tables, hide_text);
    return tables;
}

std::vector<DataTable> parallel_region_tables(const std::vector<ConstructUse>& constructs,
                                              const System& system, const ParallelRegionNames& names) {
    const std::vector<DataColumn> columns = columns_of_parallel_regions(!names.lines.empty());
    DataTable all{"all", columns}, by_rank{"by_rank", columns};
    for (const ConstructUse& use : worst_first(sums_by_label(constructs)))
        all.rows.push_back(row_of({}, use, names));
    const RankNames ranks(system);
    by_rank.form = DataTable::Form::rows;
    for (const ConstructUse& use : constructs)
        by_rank.rows.push_back(row_of(rank_cell(ranks, use.process), use, names));
    return {all, by_rank};
}

}  // namespace ovni
