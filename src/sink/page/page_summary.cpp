#include "sink/page/page_summary.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sink/page/page_groups.hpp"

namespace ovni {

namespace {

using Json = nlohmann::ordered_json;

constexpr size_t most_items = 200;
constexpr size_t most_summary_bytes = 3 << 19;
constexpr size_t longest_text = 500;
constexpr size_t most_function_rows = 256, most_function_cells = 10000;
constexpr size_t most_matrix_rows = 128, most_matrix_cells = 8192;
constexpr size_t most_names = size_t{1} << 16;

// Lists whose items with most time matter most: where they are cut, those stay.
struct SortedList {
    const char* path;
    std::vector<const char*> members;  // whose sum counts
};
const SortedList sorted_lists[] = {
    {"/total/locks", {"ns"}},
    {"/total/mpi", {"ns"}},
    {"/waits/sums", {"ns"}},
    {"/waits/delays", {"short_term", "long_term"}},
    {"/critical_path/sums", {"ns"}},
    {"/hybrid/processes", {"mpi_wait", "during_mpi", "serial", "imbalance", "scheduling", "locks", "sleep"}},
    {"/hybrid/parallel_regions", {"imbalance", "scheduling", "locks"}},
};

uint64_t weight(const Json& item, const std::vector<const char*>& members) {
    uint64_t sum = 0;
    for (const char* member : members) sum += item[member].get<uint64_t>();
    return sum;
}

void sort_longer_than(Json& report, size_t most) {
    for (const SortedList& list : sorted_lists) {
        const Json::json_pointer path(list.path);
        if (!report.contains(path) || report[path].size() <= most) continue;
        Json& items = report[path];
        std::stable_sort(items.begin(), items.end(), [&](const Json& a, const Json& b) {
            return weight(a, list.members) > weight(b, list.members);
        });
    }
}

void cut(Json& json, const std::string& path, size_t most, Json& left_out) {
    if (json.is_string() && json.get_ref<const std::string&>().size() > longest_text)
        json = json.get<std::string>().substr(0, longest_text) + "...";
    if (json.is_array() && json.size() > most) {
        left_out[path] = json.size();
        json.erase(json.begin() + static_cast<std::ptrdiff_t>(most), json.end());
    }
    if (json.is_array())
        for (Json& item : json) cut(item, path, most, left_out);
    if (json.is_object())
        for (auto& [name, member] : json.items())
            cut(member, path.empty() ? name : path + "." + name, most, left_out);
}

size_t bytes_of(const Json& json) {
    return json.dump(-1, ' ', true, Json::error_handler_t::replace).size();
}

// The report without what tables have; cut until it is short enough.
void put_report(Json& into, const Json& report) {
    Json whole = Json::object();
    for (const auto& [name, member] : report.items()) {
        if (name == "processes") continue;
        whole[name] = member;
    }
    if (whole["messages"].is_object())
        for (const char* table : {"matrix", "nodes"}) whole["messages"].erase(table);
    for (size_t most = most_items; most > 0; most /= 2) {
        into["report"] = whole;
        into["left_out"] = Json::object();
        sort_longer_than(into["report"], most);
        cut(into["report"], "", most, into["left_out"]);
        if (bytes_of(into["report"]) <= most_summary_bytes) return;
    }
}

// As RankNames has them. Ranks of several worlds have equal numbers.
std::vector<std::string> process_names(const Json& processes) {
    std::set<Json> ranks;
    bool has_worlds = false;
    for (const Json& process : processes)
        has_worlds |= !process["rank"].is_null() && !ranks.insert(process["rank"]).second;
    std::vector<std::string> names;
    for (const Json& process : processes) {
        const std::string world = has_worlds ? process["application"].dump() + "." : "";
        names.push_back(process["rank"].is_null() ? "pid " + process["pid"].dump()
                                                  : "rank " + world + process["rank"].dump());
    }
    return names;
}

// Processes as rows of a table.
struct SummaryRows {
    std::string by;
    std::vector<std::string> names;
    std::vector<size_t> of_process;
    std::vector<size_t> processes;  // by row
};

// Each process has its own row if they are few. Else a row has those of a host, or of hosts that follow one
// another.
SummaryRows rows_of(const Json& processes, size_t most) {
    SummaryRows rows{processes.size() <= most ? "rank" : "host", {}, {}, {}};
    if (rows.by == "rank") {
        rows.names = process_names(processes);
        for (size_t i = 0; i < rows.names.size(); ++i) rows.of_process.push_back(i);
    } else {
        std::map<std::string, size_t> known;
        std::vector<std::string> hosts;
        for (const Json& process : processes) {
            const auto [host, is_new] = known.try_emplace(process["host"].get<std::string>(), hosts.size());
            if (is_new) hosts.push_back(host->first);
            rows.of_process.push_back(host->second);
        }
        const PageGroups groups(hosts.size(), most);
        for (size_t& row : rows.of_process) row = groups.of(row);
        rows.names = groups.names(hosts);
    }
    rows.processes.resize(rows.names.size());
    for (const size_t row : rows.of_process) ++rows.processes[row];
    return rows;
}

using Cells = std::map<std::pair<size_t, size_t>, std::vector<uint64_t>>;

// Cells with the most of `member` stay, in the order of rows.
Json cells_of(const Cells& cells, size_t most, size_t member) {
    std::vector<Cells::const_iterator> all;
    for (auto cell = cells.begin(); cell != cells.end(); ++cell) all.push_back(cell);
    if (all.size() > most) {
        std::ranges::stable_sort(all, std::greater(), [&](auto cell) { return cell->second[member]; });
        all.resize(most);
        std::ranges::sort(all, {}, [](auto cell) { return cell->first; });
    }
    Json list = Json::array();
    for (const auto cell : all) {
        Json& item = list.emplace_back(Json{cell->first.first, cell->first.second});
        for (const uint64_t number : cell->second) item.push_back(number);
    }
    return list;
}

void add_sums(std::vector<uint64_t>& sums, const Json& item, std::initializer_list<const char*> members) {
    sums.resize(members.size());
    auto sum = sums.begin();
    for (const char* member : members) {
        const auto number = item[member].get<uint64_t>();
        *sum = *sum > UINT64_MAX - number ? UINT64_MAX : *sum + number;
        ++sum;
    }
}

Json table_of(const SummaryRows& rows) {
    return {{"by", rows.by}, {"names", rows.names}, {"processes", rows.processes}};
}

void put_functions(Json& into, const Json& processes) {
    const SummaryRows rows = rows_of(processes, most_function_rows);
    std::map<std::string, size_t> places;
    Json names = Json::array();
    Cells cells;
    for (size_t p = 0; p < processes.size(); ++p)
        for (const Json& function : processes[p]["mpi"]) {
            const auto [place, is_new] =
                places.try_emplace(function["function"].get<std::string>(), names.size());
            if (is_new) names.push_back(place->first);
            add_sums(cells[{rows.of_process[p], place->second}], function,
                     {"calls", "ns", "sent", "received"});
        }
    constexpr size_t ns = 1;
    Json& functions = into["functions"] = table_of(rows);
    functions["functions"] = std::move(names);
    functions["cells"] = cells_of(cells, most_function_cells, ns);
}

void put_matrix(Json& into, const Json& report) {
    into["matrix"] = Json();
    if (report["messages"].is_null()) return;
    const SummaryRows rows = rows_of(report["processes"], most_matrix_rows);
    Cells cells;
    for (const Json& pair : report["messages"]["matrix"])
        add_sums(
            cells[{rows.of_process[pair["from"].get<size_t>()], rows.of_process[pair["to"].get<size_t>()]}],
            pair, {"messages", "bytes"});
    constexpr size_t bytes = 1;
    into["matrix"] = table_of(rows);
    into["matrix"]["cells"] = cells_of(cells, most_matrix_cells, bytes);
}

}  // namespace

Json page_summary(const Json& report) {
    Json summary = Json::object();
    put_report(summary, report);
    Json& names = summary["processes"] = Json::array();
    for (const std::string& name : process_names(report["processes"]))
        if (names.size() < most_names) names.push_back(name);
    put_functions(summary, report["processes"]);
    put_matrix(summary, report);
    return summary;
}

}  // namespace ovni
