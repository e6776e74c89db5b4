#include "tools/top/report_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/printable.hpp"

namespace ovni {

namespace {

using Json = nlohmann::json;

// The run in a report.
Json run_in(const std::string& file) {
    constexpr uint64_t largest_report = uint64_t{1} << 32;
    try {
        const Json report = Json::parse(read_file(file, largest_report));
        if (report.at("format") != "ovni-mpi report")
            throw Error("this is no report of ovniemu --report", file);
        const Json& efficiencies = report.at("efficiencies");
        if (efficiencies.is_null() || efficiencies.at("all").empty())
            throw Error("this report has no efficiencies: its trace has no calls of MPI", file);
        return efficiencies.at("all").at(0);
    } catch (const Json::parse_error&) {
        throw Error("this is no report of ovniemu --report, and no trace directory", file);
    } catch (const Json::exception& fault) {
        throw Error(fmt::format("this is no report with efficiencies: {}", fault.what()), file);
    }
}

constexpr std::string_view ratios[] = {"parallel_efficiency", "load_balance", "communication_efficiency",
                                       "serialisation_efficiency", "transfer_efficiency"};

std::vector<DataColumn> columns_of_reports() {
    constexpr size_t width = 26;
    std::vector<DataColumn> columns{text_column("report", "", width), text_column("ranks", "ranks", width),
                                    time_column("runtime_ns", "seconds", width)};
    for (const std::string_view name : ratios) {
        std::string heading(name);
        std::ranges::replace(heading, '_', ' ');
        columns.push_back(ratio_column(std::string(name), heading, width));
    }
    columns.push_back(ratio_column("computation_scaling", "computation scaling", width));
    columns.push_back(ratio_column("global_efficiency", "global efficiency", width));
    return columns;
}

// `first`: the useful time of the first run.
DataTable::Row row_of_report(const Json& run, const std::string& name, double first) {
    DataTable::Row row{name, run.at("processes").get<uint64_t>(), run.at("runtime").get<int64_t>()};
    for (const std::string_view ratio : ratios) row.emplace_back(run.at(std::string(ratio)).get<double>());
    // All runs are expected to do equal work, so the sum of useful time stays if computation scales well.
    const double useful = run.at("useful").get<double>();
    const double scaling = useful <= 0 ? 1 : first / useful;
    row.emplace_back(scaling);
    row.emplace_back(scaling * run.at("parallel_efficiency").get<double>());
    return row;
}

// The last `parts` of a path.
std::string end_of(const std::filesystem::path& file, size_t parts) {
    std::filesystem::path end;
    for (auto part = file.end(); part != file.begin() && parts > 0; --parts) end = *--part / end;
    std::string text = end.string();
    if (text.ends_with('/')) text.pop_back();
    return text;
}

}  // namespace

std::vector<std::string> distinct_names(const std::vector<std::string>& files) {
    std::vector<std::string> names;
    for (const std::string& file : files) {
        const auto parts = static_cast<size_t>(
            std::distance(std::filesystem::path(file).begin(), std::filesystem::path(file).end()));
        const auto is_ambiguous = [&](size_t count) {
            return std::ranges::any_of(files, [&](const std::string& other) {
                return other != file && end_of(other, count) == end_of(file, count);
            });
        };
        size_t count = 1;
        while (count < parts && is_ambiguous(count)) ++count;
        names.push_back(one_line(end_of(file, count)));
    }
    return names;
}

std::vector<DataTable> report_tables(const std::vector<std::string>& files) {
    const std::vector<std::string> names = distinct_names(files);
    DataTable table{"reports", columns_of_reports()};
    table.form = DataTable::Form::transposed;
    double first = 0;
    for (size_t i = 0; i < files.size(); ++i) {
        const Json run = run_in(files[i]);
        if (i == 0) first = run.at("useful").get<double>();
        table.rows.push_back(row_of_report(run, names[i], first));
    }
    return {std::move(table)};
}

}  // namespace ovni
