#include "session/counters_in_report.hpp"

#include <algorithm>
#include <string_view>

#include "core/counter_names.hpp"
#include "ovni/mpi_events.h"

namespace ovni {

namespace {

using Json = nlohmann::ordered_json;
using By = CounterCount::By;

// The place of a counter among those of the trace; beyond the end if it is not counted.
size_t place_of(const Plan& plan, std::string_view name) {
    return static_cast<size_t>(
        std::ranges::find(plan.instants, find_counter(name)->prv_type, &InstantPlan::number) -
        plan.instants.begin());
}

void put_sums(Json& into, const Plan& plan, const CounterSums& sums) {
    into["ns"] = sums.nanoseconds.number();
    Json& counts = into["counts"] = Json::object();
    for (size_t c = 0; c < sums.of.size(); ++c)
        if (plan.instants[c].number < counter_type::resident_memory)
            counts[plan.instants[c].name] = sums.of[c].number();
    const CounterRates rates = rates_of(sums, place_of(plan, "instructions"), place_of(plan, "cycles"));
    into["ipc"] = rates.ipc > 0 ? Json(rates.ipc) : Json();
    into["ghz"] = rates.ghz > 0 ? Json(rates.ghz) : Json();
}

}  // namespace

void CountersInReport::add(const CounterCount& count) {
    CounterSums& sums = sums_[{count.by, count.what}];
    if (count.counter == CounterCount::time) {
        sums.nanoseconds += count.sum;
        return;
    }
    if (sums.of.size() <= count.counter) sums.of.resize(count.counter + size_t{1});
    sums.of[count.counter] += count.sum;
}

Json CountersInReport::json(const Plan& plan, const Labels& labels) const {
    Json functions = Json::array(), regions = Json::array();
    for (const auto& [key, sums] : sums_) {
        const auto [by, what] = key;
        if (by == By::function) {
            Json& entry = functions.emplace_back(Json::object());
            const bool is_outside = what == CounterCount::no_function;
            entry["function"] = is_outside ? Json() : Json(mpi_function_rows[what].name);
            put_sums(entry, plan, sums);
            continue;
        }
        Json& entry = regions.emplace_back(Json::object());
        const auto label = labels.find({prv_type::first_mark + OVNI_MPI_REGION_MARK, what});
        entry["region"] = label == labels.end() ? Json() : Json(label->second);
        put_sums(entry, plan, sums);
    }
    return {{"functions", std::move(functions)}, {"regions", std::move(regions)}};
}

}  // namespace ovni
