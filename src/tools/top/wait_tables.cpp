#include "tools/top/wait_tables.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "base/printable.hpp"
#include "mpi_function_rows.hpp"

namespace ovni {

namespace {

constexpr size_t most_rows_in_text = 20;

struct Sum {
    uint64_t times = 0, ns = 0, certain = 0;
    void add(const WaitSum& sum) {
        times += sum.times;
        ns += sum.ns;
        certain += sum.certain;
    }
};

template <class Key>
std::vector<std::pair<Key, Sum>> longest_first(const std::map<Key, Sum>& sums) {
    std::vector<std::pair<Key, Sum>> rows(sums.begin(), sums.end());
    std::ranges::stable_sort(rows, std::greater(), [](const auto& row) { return row.second.ns; });
    return rows;
}

class WaitTables {
 public:
    explicit WaitTables(const WaitTableSources& of) : of_(of), names_(of.system) {
        for (const ProcessInfo& process : of.system.processes()) {
            const ThreadInfo& thread = of.system.threads()[process.first_thread];
            hosts_.push_back(host_of(of.trace.streams()[thread.stream].metadata));
        }
    }

    DataTable by_kind() const {
        std::map<std::pair<WaitKind, uint32_t>, Sum> sums;
        for (const WaitSum& sum : of_.waits.sums) sums[{sum.kind, sum.function}].add(sum);
        DataTable table{"by_kind", columns_of_sums()};
        table.columns.push_back(text_column("wait", "wait", 30, 2));
        table.columns.push_back(text_column("function", "in", 0, 0));
        for (const auto& [key, sum] : longest_first(sums)) {
            DataTable::Row row = row_of(sum, of_.time.of_all());
            row.emplace_back(wait_names[static_cast<size_t>(key.first)]);
            row.emplace_back(mpi_function_rows[key.second].name);
            table.rows.push_back(std::move(row));
        }
        return table;
    }

    // Not in text if no call site is known.
    DataTable by_call_site() const {
        std::map<std::pair<uint32_t, uint32_t>, Sum> sums;
        for (const WaitSum& sum : of_.waits.sums) sums[{sum.function, sum.site}].add(sum);
        DataTable table{"by_call_site", columns_of_sums()};
        table.columns.push_back(text_column("function", "in", 22, 2));
        table.columns.push_back(called_by_column());
        table.before = {""};
        table.most_rows = most_rows_in_text;
        for (const auto& [key, sum] : longest_first(sums)) {
            DataTable::Row row = row_of(sum, of_.time.of_all());
            row.push_back(function_cell(key.first));
            row.push_back(call_site_cell(key.second, of_.sites));
            table.rows.push_back(std::move(row));
        }
        if (!has_sites()) hide_text(table);
        return table;
    }

    DataTable by_rank() const {
        std::map<std::pair<uint32_t, uint32_t>, Sum> sums;
        for (const WaitSum& sum : of_.waits.sums) sums[{sum.process, sum.cause}].add(sum);
        DataTable table{"by_rank", columns_of_sums()};
        table.columns.push_back(full_rank_column("rank", "who waits", 14, 2));
        table.columns.push_back(full_rank_column("cause_rank", "for", 0, 0));
        table.before = {""};
        table.most_rows = most_rows_in_text;
        for (const auto& [key, sum] : longest_first(sums)) {
            DataTable::Row row = row_of(sum, time_of(key.first));
            row.push_back(rank_or_none(key.first));
            row.push_back(rank_or_none(key.second));
            table.rows.push_back(std::move(row));
        }
        return table;
    }

    // Not in text if there is one host.
    DataTable by_host() const {
        std::map<std::pair<std::string, std::string>, Sum> sums;
        for (const WaitSum& sum : of_.waits.sums) sums[{host(sum.process), host(sum.cause)}].add(sum);
        DataTable table{"by_host", columns_of_sums()};
        table.columns.push_back(text_column("host", "host that waits", 22, 2));
        table.columns.push_back(text_column("cause_host", "for", 0, 0));
        table.before = {""};
        table.most_rows = most_rows_in_text;
        for (const auto& [key, sum] : longest_first(sums)) {
            DataTable::Row row = row_of(sum, time_of_host(key.first));
            row.push_back(text_or_none(key.first));
            row.push_back(text_or_none(key.second));
            table.rows.push_back(std::move(row));
        }
        if (std::set<std::string>(hosts_.begin(), hosts_.end()).size() < 2) hide_text(table);
        return table;
    }

    DataTable longest() const {
        DataColumn since = time_column("since_ns", "since", 14);
        since.text.form = as_exact_seconds;
        DataTable table{
            "longest",
            {time_column("time_ns", "seconds", 12), share_column(), std::move(since),
             number_column("number", "no.", 4), full_rank_column("rank", "who waits", 14, 2),
             text_column("wait", "wait", 30, 0), full_rank_column("cause_rank", "for", 10, 0),
             data_column("function"), data_column("host"), data_column("cause_host"), called_by_column()}};
        table.before = {""};
        table.most_rows = most_rows_in_text;
        for (const Wait& wait : of_.waits.longest) {
            const uint32_t process = process_of(wait.stream);
            const auto length = static_cast<uint64_t>(wait.length());
            table.rows.push_back(
                {length, share(length, time_of(process)), wait.begin - of_.origin, table.rows.size() + 1,
                 rank_or_none(process), wait_names[static_cast<size_t>(wait.kind)],
                 rank_or_none(process_of(wait.cause_stream)), mpi_function_rows[wait.function].name,
                 text_or_none(host(process)), text_or_none(host(process_of(wait.cause_stream))),
                 call_site_cell(wait.site, of_.sites)});
        }
        return table;
    }

    DataTable delays() const {
        std::vector<DelayCost> costs = of_.delays;
        std::ranges::stable_sort(costs, std::greater(),
                                 [](const DelayCost& cost) { return cost.short_term + cost.long_term; });
        DataColumn function = text_column("function", "in", 28, 0);
        function.text.empty = "the program";
        DataTable table{
            "delays",
            {time_column("short_term_ns", "short-term", 12), time_column("long_term_ns", "long-term", 12),
             share_column(), full_rank_column("rank", "delay of", 14, 2), std::move(function),
             text_column("region", "region", 18, 0), data_column("host"), called_by_column()}};
        table.before = {""};
        table.most_rows = most_rows_in_text;
        for (const DelayCost& cost : costs)
            table.rows.push_back(
                {cost.short_term, cost.long_term, share(cost.short_term + cost.long_term, of_.time.of_all()),
                 rank_cell(names_, cost.process), function_cell(cost.activity.function),
                 label_cell(cost.activity.region, of_.regions), text_or_none(host(cost.process)),
                 call_site_cell(cost.activity.site, of_.sites)});
        return table;
    }

 private:
    static std::vector<DataColumn> columns_of_sums() {
        return {time_column("time_ns", "seconds", 12), share_column(),
                time_column("certain_ns", "certain", 12), number_column("times", "times", 9)};
    }
    static DataTable::Row row_of(const Sum& sum, WideSum whole) {
        return {sum.ns, share(sum.ns, whole), sum.certain, sum.times};
    }
    bool has_sites() const {
        return std::ranges::any_of(of_.waits.sums,
                                   [](const WaitSum& sum) { return sum.site != MpiCaller::unknown; });
    }
    DataColumn called_by_column() const {
        DataColumn column = text_column("called_by", "called by", 0, 1);
        column.text.is_shown = has_sites();
        return column;
    }
    uint32_t process_of(uint32_t stream) const {
        return stream == MessageEnd::no_stream ? WaitSum::no_process : of_.system.process_of_stream(stream);
    }
    WideSum time_of(uint32_t process) const {
        return process == WaitSum::no_process ? WideSum() : of_.time.of(process);
    }
    Cell rank_or_none(uint32_t process) const {
        return process == WaitSum::no_process ? Cell() : rank_cell(names_, process);
    }
    WideSum time_of_host(const std::string& name) const {
        WideSum time;
        for (uint32_t p = 0; p < hosts_.size(); ++p)
            if (host(p) == name) time += of_.time.of(p);
        return time;
    }
    // Empty: of no process.
    std::string host(uint32_t process) const {
        return process == WaitSum::no_process ? "" : one_line(hosts_[process]);
    }
    static Cell text_or_none(const std::string& text) { return text.empty() ? Cell() : Cell(text); }

    const WaitTableSources& of_;
    const RankNames names_;
    std::vector<std::string> hosts_;  // by process
};

}  // namespace

std::vector<DataTable> wait_tables(const WaitTableSources& of) {
    const WaitTables tables(of);
    std::vector<DataTable> all{tables.by_kind(), tables.by_call_site(), tables.by_rank(),
                               tables.by_host(), tables.longest(),      tables.delays()};
    const bool has_waits = !of.waits.sums.empty();
    for (DataTable& table : all) {
        const bool is_shown = has_waits && (table.name != "delays" || !of.delays.empty());
        if (!is_shown) hide_text(table);
    }
    return all;
}

}  // namespace ovni
