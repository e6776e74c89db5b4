#include "tools/top/mpi_profile.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "base/printable.hpp"
#include "tools/top/thread_reading.hpp"

namespace ovni {

namespace {

std::vector<DataColumn> columns_of_calls() {
    return {rank_column(8),
            text_column("function", "function", 28),
            number_column("calls", "calls", 10),
            time_column("time_ns", "seconds", 14),
            share_column(),
            number_column("sent_bytes", "bytes sent", 14),
            number_column("received_bytes", "received", 14)};
}

// `rank`: empty for all together; `whole`: their time.
DataTable::Row row_of_calls(const Cell& rank, const MpiFunctionRow& function, const MpiSums& sums,
                            WideSum whole) {
    return {rank,      function.name, sums.calls, sums.nanoseconds, share(sums.nanoseconds, whole),
            sums.sent, sums.received};
}

// Most time first, then by name.
void add_functions(DataTable& table, const Cell& rank, const MpiSumsByFunction& sums, WideSum whole) {
    std::vector<std::pair<const MpiFunctionRow*, MpiSums>> rows(sums.begin(), sums.end());
    std::ranges::sort(rows, [](const auto& a, const auto& b) {
        return std::pair(b.second.nanoseconds.number(), a.first->name) <
               std::pair(a.second.nanoseconds.number(), b.first->name);
    });
    for (const auto& [function, sum] : rows) table.rows.push_back(row_of_calls(rank, *function, sum, whole));
}

void add_sites(DataTable& table, const Cell& rank, const MpiSumsByCaller& sums, WideSum whole,
               const CallSites& sites) {
    std::vector<std::pair<MpiCaller, MpiSums>> rows(sums.begin(), sums.end());
    std::ranges::sort(rows, [](const auto& a, const auto& b) {
        return std::tuple(b.second.nanoseconds.number(), a.first.function->name, a.first.site) <
               std::tuple(a.second.nanoseconds.number(), b.first.function->name, b.first.site);
    });
    for (const auto& [caller, sum] : rows) {
        table.rows.push_back(row_of_calls(rank, *caller.function, sum, whole));
        table.rows.back().emplace_back(one_line(sites.text(caller.site)));
    }
}

}  // namespace

void MpiProfile::add(const Stream& stream, StreamReader reader) {
    const MpiSites* sites = sites_.empty() ? nullptr : &sites_.of_stream(reader.index());
    Process& process = processes_[process_of(stream)];
    ThreadInMpi thread(process.calls, sites);
    read_thread(stream, reader, thread, process.time, [&](const EventView& event) {
        thread.take(event.code, event.jumbo() ? std::span<const uint8_t>() : event.payload(), event.clock);
    });
}

WideSum MpiProfile::time_of_all() const {
    WideSum time;
    for (const auto& [key, process] : processes_)
        if (!process.calls.sums().empty()) time += process.time.of_process();
    return time;
}

std::vector<DataTable> MpiProfile::tables() const {
    DataTable all{"all", columns_of_calls()}, by_rank{"by_rank", columns_of_calls()};
    by_rank.form = DataTable::Form::rows;
    MpiSumsByFunction sums;
    for (const auto& [key, process] : processes_) {
        const MpiSumsByFunction own = process.calls.sums();
        for (const auto& [function, sum] : own) sums[function] += sum;
        add_functions(by_rank, rank_cell(key, processes_), own, process.time.of_process());
    }
    add_functions(all, {}, sums, time_of_all());
    return {std::move(all), std::move(by_rank)};
}

std::vector<DataTable> MpiProfile::tables_of_sites() const {
    std::vector<DataColumn> columns = columns_of_calls();
    columns.push_back(text_column("called_by", "called by", 0, 2));
    DataTable all{"all", columns}, by_rank{"by_rank", columns};
    by_rank.form = DataTable::Form::rows;
    MpiSumsByCaller sums;
    for (const auto& [key, process] : processes_) {
        const MpiSumsByCaller own = process.calls.sums_by_caller();
        for (const auto& [caller, sum] : own) sums[caller] += sum;
        add_sites(by_rank, rank_cell(key, processes_), own, process.time.of_process(), sites_);
    }
    add_sites(all, {}, sums, time_of_all(), sites_);
    return {std::move(all), std::move(by_rank)};
}

}  // namespace ovni
