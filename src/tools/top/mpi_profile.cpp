#include "tools/top/mpi_profile.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

#include "base/printable.hpp"
#include "base/seconds.hpp"
#include "tools/top/thread_reading.hpp"

namespace ovni {

void MpiProfile::add(const Stream& stream, StreamReader reader) {
    const StreamMetadata& about = stream.metadata;
    const MpiSites* sites = sites_.empty() ? nullptr : &sites_.of_stream(reader.index());
    ThreadInMpi thread(ranks_[{about.process->app_id.value_or(0), about.process->rank.value_or(-1),
                               about.process->pid, about.common->loom}],
                       sites);
    read_thread(stream, reader, thread, [&](const EventView& event) {
        thread.take(event.code, event.jumbo() ? std::span<const uint8_t>() : event.payload(), event.clock);
    });
}

void MpiProfile::print_rows(TextOutput& out, const std::string& name, const MpiSumsByFunction& sums) {
    std::vector<std::pair<const MpiFunctionRow*, MpiSums>> rows(sums.begin(), sums.end());
    std::ranges::sort(rows, [](const auto& a, const auto& b) {
        return std::pair(b.second.nanoseconds.number(), a.first->name) <
               std::pair(a.second.nanoseconds.number(), b.first->name);
    });
    for (const auto& [function, sum] : rows)
        fmt::format_to(std::back_inserter(out.text()), "{:<8} {:<28} {:>10} {:>14.6f} {:>14} {:>14}\n", name,
                       function->name, sum.calls, seconds(sum.nanoseconds.number()), sum.sent.number(),
                       sum.received.number());
}

void MpiProfile::print(TextOutput& out) const {
    fmt::format_to(std::back_inserter(out.text()), "{:<8} {:<28} {:>10} {:>14} {:>14} {:>14}\n", "rank",
                   "function", "calls", "seconds", "bytes sent", "received");
    MpiSumsByFunction all;
    for (const auto& [rank, process] : ranks_)
        for (const auto& [function, sum] : process.sums()) all[function] += sum;
    print_rows(out, "all", all);
    for (const auto& [rank, process] : ranks_) print_rows(out, name_of(rank), process.sums());
}

std::string MpiProfile::name_of(const Rank& rank) const {
    bool several = ranks_.begin()->first.app != ranks_.rbegin()->first.app;
    std::string name = rank.rank < 0 ? fmt::format("pid {}", rank.pid) : fmt::format("{}", rank.rank);
    return several ? fmt::format("{}.{}", rank.app, name) : name;
}

void MpiProfile::print_rows_of_sites(TextOutput& out, const std::string& name,
                                     const MpiSumsByCaller& sums) const {
    std::vector<std::pair<MpiCaller, MpiSums>> rows(sums.begin(), sums.end());
    std::ranges::sort(rows, [](const auto& a, const auto& b) {
        return std::tuple(b.second.nanoseconds.number(), a.first.function->name, a.first.site) <
               std::tuple(a.second.nanoseconds.number(), b.first.function->name, b.first.site);
    });
    for (const auto& [caller, sum] : rows)
        fmt::format_to(std::back_inserter(out.text()), "{:<8} {:<28} {:>10} {:>14.6f} {:>14} {:>14}  {}\n",
                       name, caller.function->name, sum.calls, seconds(sum.nanoseconds.number()),
                       sum.sent.number(), sum.received.number(), one_line(sites_.text(caller.site)));
}

void MpiProfile::print_sites(TextOutput& out) const {
    fmt::format_to(std::back_inserter(out.text()), "{:<8} {:<28} {:>10} {:>14} {:>14} {:>14}  {}\n", "rank",
                   "function", "calls", "seconds", "bytes sent", "received", "called by");
    MpiSumsByCaller all;
    for (const auto& [rank, process] : ranks_)
        for (const auto& [caller, sum] : process.sums_by_caller()) all[caller] += sum;
    print_rows_of_sites(out, "all", all);
    for (const auto& [rank, process] : ranks_)
        print_rows_of_sites(out, name_of(rank), process.sums_by_caller());
}

}  // namespace ovni
