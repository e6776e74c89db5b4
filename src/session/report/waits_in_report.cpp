#include "session/report/waits_in_report.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "emu/plan/plan.hpp"
#include "mpi_function_rows.hpp"
#include "ovni/mpi_events.h"

namespace ovni {

namespace {

using Json = nlohmann::ordered_json;

Json function_name(uint32_t function) {
    return function < std::size(mpi_function_rows) ? Json(mpi_function_rows[function].name) : Json();
}

Json process_or_null(uint32_t process) {
    return process == WaitSum::no_process ? Json() : Json(process);
}

// "solve heat.c:12, main heat.c:40", or null.
Json callers(uint32_t site, const PlaceNames& names) {
    return site == MpiCaller::unknown ? Json() : Json(names.sites.text(site));
}

Json single_wait(const Wait& of, const System& system, const PlaceNames& names, int64_t origin) {
    auto process_of = [&](uint32_t stream) {
        return stream == MessageEnd::no_stream ? Json() : Json(system.process_of_stream(stream));
    };
    return {{"from", of.begin - origin},
            {"to", of.end - origin},
            {"bound", of.bound < 0 ? Json() : Json(of.bound)},
            {"wait", wait_names[static_cast<size_t>(of.kind)]},
            {"function", function_name(of.function)},
            {"called_by", callers(of.site, names)},
            {"process", process_of(of.stream)},
            {"cause", process_of(of.cause_stream)}};
}

}  // namespace

Json region_name(int64_t region, const std::map<int64_t, std::string>& names) {
    if (region == 0) return {};
    auto known = names.find(region);
    return known == names.end() ? Json(std::to_string(region)) : Json(known->second);
}

std::map<int64_t, std::string> names_of_regions(const FileSchema& threads) {
    std::map<int64_t, std::string> names;
    for (const EventType& type : threads.types)
        if (type.type == prv_type::first_mark + OVNI_MPI_REGION_MARK)
            for (const auto& [value, label] : type.labels.all()) names.emplace(value, label);
    return names;
}

Json collectives_in(const CollectiveSummary& collectives) {
    return {{"matched", collectives.collectives},
            {"incomplete", collectives.incomplete},
            {"unlike", collectives.unlike},
            {"parts_behind_gaps", collectives.behind_gaps}};
}

Json waits_in(const WaitSummary& waits, const System& system, const PlaceNames& names, int64_t origin) {
    Json sums = Json::array(), longest = Json::array();
    for (const WaitSum& sum : waits.sums)
        sums.push_back({{"wait", wait_names[static_cast<size_t>(sum.kind)]},
                        {"function", function_name(sum.function)},
                        {"called_by", callers(sum.site, names)},
                        {"region", region_name(sum.region, names.regions)},
                        {"process", sum.process},
                        {"cause", process_or_null(sum.cause)},
                        {"times", sum.times},
                        {"ns", sum.ns},
                        {"certain", sum.certain}});
    for (const Wait& wait : waits.longest) longest.push_back(single_wait(wait, system, names, origin));
    return {{"sums", std::move(sums)}, {"longest", std::move(longest)}};
}

Json delays_in(const std::vector<DelayCost>& delays, const PlaceNames& names) {
    Json all = Json::array();
    for (const DelayCost& cost : delays)
        all.push_back({{"process", cost.process},
                       {"function", function_name(cost.activity.function)},
                       {"called_by", callers(cost.activity.site, names)},
                       {"region", region_name(cost.activity.region, names.regions)},
                       {"short_term", cost.short_term},
                       {"long_term", cost.long_term}});
    return all;
}

Json critical_path_in(const CriticalPath& path, const PlaceNames& names) {
    Json sums = Json::array();
    for (const PathSum& sum : path.sums)
        sums.push_back({{"process", sum.process},
                        {"function", function_name(sum.activity.function)},
                        {"called_by", callers(sum.activity.site, names)},
                        {"region", region_name(sum.activity.region, names.regions)},
                        {"ns", sum.ns}});
    return {{"parts", path.parts.size()}, {"sums", std::move(sums)}};
}

Json efficiencies_in(const Efficiencies& efficiencies, const FileSchema& threads) {
    const std::map<int64_t, std::string> regions = names_of_regions(threads);
    Json all = Json::array();
    for (const Efficiency& of : efficiencies.all)
        all.push_back({{"region", region_name(of.region, regions)},
                       {"processes", of.processes},
                       {"runtime", of.runtime},
                       {"ideal_runtime", of.ideal_runtime},
                       {"useful", of.useful_sum},
                       {"longest_useful", of.longest_useful},
                       {"busiest", of.busiest},
                       {"parallel_efficiency", of.parallel()},
                       {"load_balance", of.load_balance()},
                       {"communication_efficiency", of.communication()},
                       {"serialisation_efficiency", of.serialisation()},
                       {"transfer_efficiency", of.transfer()}});
    return {{"all", std::move(all)}, {"out_of_order", efficiencies.out_of_order}};
}

}  // namespace ovni
