#include "tools/top/region_profile.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/printable.hpp"
#include "base/seconds.hpp"
#include "ovni/mpi_events.h"
#include "tools/top/thread_reading.hpp"

namespace ovni {

namespace {

std::string text_of(const Spread& spread) {
    return fmt::format("{:>12.6f} {:>12.6f} {:>12.6f}", seconds(spread.least), seconds(spread.mean()),
                       seconds(spread.most));
}

std::string line_of(const std::string& rank, const std::string& region, const RegionSums& sums) {
    return fmt::format("{:<8} {:<24} {:>10} {:>14.6f} {:>14.6f}", rank, region, sums.visits,
                       seconds(sums.inclusive.number()), seconds(sums.exclusive.number()));
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
    const StreamMetadata& about = stream.metadata;
    for (const MarkType& marks : *about.common->marks)
        if (marks.type == OVNI_MPI_REGION_MARK) names_.insert(marks.labels.begin(), marks.labels.end());
    ThreadInRegions thread(ranks_[{about.process->app_id.value_or(0), about.process->rank.value_or(-1),
                                   about.process->pid, about.common->loom}]);
    read_thread(stream, reader, thread, [&](const EventView& event) {
        if (!event.jumbo()) thread.take(event.code, event.payload(), event.clock);
    });
}

std::string RegionProfile::name_of(int64_t region) const {
    const auto name = names_.find(region);
    return name == names_.end() ? std::to_string(region) : one_line(name->second);
}

std::string RegionProfile::name_of(const Rank& rank) const {
    const bool several = ranks_.begin()->first.app != ranks_.rbegin()->first.app;
    const std::string name = rank.rank < 0 ? fmt::format("pid {}", rank.pid) : fmt::format("{}", rank.rank);
    return several ? fmt::format("{}.{}", rank.app, name) : name;
}

void RegionProfile::print_all(TextOutput& out) const {
    std::map<int64_t, RegionInAll> all;
    for (const auto& [rank, regions] : ranks_)
        for (const auto& [region, sums] : regions) all[region].add(sums);
    for (const auto& [region, of] :
         sorted(all, [](const auto& row) { return row.second.sums.inclusive.number(); }))
        fmt::format_to(std::back_inserter(out.text()), "{} {:>6} {} {}\n",
                       line_of("all", name_of(region), of.sums), of.inclusive.processes,
                       text_of(of.inclusive), text_of(of.exclusive));
}

void RegionProfile::print(TextOutput& out) const {
    fmt::format_to(std::back_inserter(out.text()),
                   "{:<8} {:<24} {:>10} {:>14} {:>14} {:>6} {:>12} {:>12} {:>12} {:>12} {:>12} {:>12}\n",
                   "rank", "region", "visits", "seconds", "without inner", "ranks", "of each: min", "mean",
                   "max", "w/o: min", "mean", "max");
    print_all(out);
    for (const auto& [rank, regions] : ranks_)
        for (const auto& [region, sums] :
             sorted(regions, [](const auto& row) { return row.second.inclusive.number(); }))
            fmt::format_to(std::back_inserter(out.text()), "{}\n",
                           line_of(name_of(rank), name_of(region), sums));
}

}  // namespace ovni
