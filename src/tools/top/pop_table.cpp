#include "tools/top/pop_table.hpp"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/error.hpp"
#include "base/file.hpp"

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

}  // namespace

void print_reports(const std::vector<std::string>& files, TextOutput& out) {
    std::vector<Json> runs;
    for (const std::string& file : files) runs.push_back(run_in(file));
    auto to = std::back_inserter(out.text());
    auto row = [&](std::string_view name, auto value_of) {
        fmt::format_to(to, "{:<26}", name);
        for (const Json& run : runs) fmt::format_to(to, " {:>12}", value_of(run));
        fmt::format_to(to, "\n");
    };
    constexpr double seconds = 1e-9;
    auto number = [](double value) { return fmt::format("{:.3f}", value); };
    row("ranks", [](const Json& run) { return fmt::format("{}", run.at("processes").get<uint64_t>()); });
    row("seconds",
        [](const Json& run) { return fmt::format("{:.6f}", run.at("runtime").get<double>() * seconds); });
    for (std::string_view ratio : ratios) {
        std::string name(ratio);
        std::ranges::replace(name, '_', ' ');
        row(name, [&](const Json& run) { return number(run.at(std::string(ratio)).get<double>()); });
    }
    // All runs are expected to do equal work, so the sum of useful time stays if computation scales well.
    auto scaling = [&](const Json& run) {
        const double useful = run.at("useful").get<double>();
        return useful <= 0 ? 1 : runs.front().at("useful").get<double>() / useful;
    };
    row("computation scaling", [&](const Json& run) { return number(scaling(run)); });
    row("global efficiency",
        [&](const Json& run) { return number(scaling(run) * run.at("parallel_efficiency").get<double>()); });
}

}  // namespace ovni
