#include "tools/top/rank_cells.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "base/printable.hpp"
#include "core/parse_number.hpp"
#include "mpi_function_rows.hpp"

namespace ovni {

namespace {

std::string with_rank(const Cell& rank) {
    const std::string name = text_of(rank);
    return name.starts_with("pid ") ? name : "rank " + name;
}

}  // namespace

Cell rank_cell(const RankNames& names, uint32_t process) {
    const std::string name = names.brief(process);
    if (const std::optional<int64_t> rank = parse_number<int64_t>(name)) return *rank;
    return name;
}

DataColumn full_rank_column(std::string name, std::string heading, size_t width, size_t gap) {
    DataColumn column = text_column(std::move(name), std::move(heading), width, gap);
    column.text.form = with_rank;
    column.text.empty = "-";
    return column;
}

Cell label_cell(int64_t value, const std::map<int64_t, std::string>& labels) {
    if (value == 0) return {};
    const auto label = labels.find(value);
    if (label == labels.end()) return std::to_string(value);
    return label->second.empty() ? Cell() : one_line(label->second);
}

Cell function_cell(uint32_t function) {
    return function < std::size(mpi_function_rows) ? Cell(mpi_function_rows[function].name) : Cell();
}

Cell call_site_cell(uint32_t site, const CallSites& sites) {
    return site == MpiCaller::unknown ? Cell() : Cell(one_line(sites.text(site)));
}

TimeInMpi::TimeInMpi(const Scanned& scanned, const System& system) : by_process_(system.processes().size()) {
    struct Time {
        int64_t begin = INT64_MAX, end = INT64_MIN;
    };
    std::vector<Time> times(by_process_.size());
    const auto add = [&](uint32_t process, int64_t begin, int64_t end) {
        times[process].begin = std::min(times[process].begin, begin);
        times[process].end = std::max(times[process].end, end);
    };
    for (const MessageEnds& ends : scanned.ends) {
        for (const ProcessTimes& of : ends.times) add(of.process, of.begin, of.end);
        for (const CollectiveEnd& call : ends.world_calls)
            add(system.process_of_stream(call.stream), call.enter, call.leave);
    }
    for (size_t process = 0; process < times.size(); ++process) {
        if (times[process].begin >= times[process].end) continue;
        by_process_[process].add_time(times[process].begin, times[process].end);
        all_ += by_process_[process];
    }
}

}  // namespace ovni
