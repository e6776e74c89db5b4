#include "session/report/counters_in_report.hpp"

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

void put_counter_sums(Json& into, const Plan& plan, const CounterSums& sums) {
    into["ns"] = sums.nanoseconds.number();
    Json& counts = into["counts"] = Json::object();
    for (size_t c = 0; c < sums.of.size(); ++c)
        if (plan.instants[c].number < counter_type::resident_memory)
            counts[plan.instants[c].name] = sums.of[c].number();
    const CounterRates rates = rates_of(sums, place_of(plan, "instructions"), place_of(plan, "cycles"));
    into["ipc"] = rates.ipc > 0 ? Json(rates.ipc) : Json();
    into["ghz"] = rates.ghz > 0 ? Json(rates.ghz) : Json();
}

Json text_or_null(const std::string& text) {
    return text.empty() ? Json() : Json(text);
}

}  // namespace

void CountersInReport::add(const CounterCount& count) {
    CounterSums sums;
    sums.nanoseconds = count.ns;
    sums.of.assign(count.counts.begin(), count.counts.end());
    sums_[count.what] += sums;
}

Json CountersInReport::json(const Plan& plan, const Labels& labels, Threads threads) const {
    Json functions = Json::array(), regions = Json::array(), constructs = Json::array(),
         by_tid = Json::array();
    for (const auto& [what, sums] : sums_) {
        Json entry = Json::object();
        switch (what.by) {
            case By::function:
                entry["function"] = what.number == CounterCount::no_function
                                        ? Json()
                                        : Json(mpi_function_rows[what.number].name);
                break;
            case By::region: {
                const auto label = labels.find({prv_type::first_mark + OVNI_MPI_REGION_MARK, what.number});
                entry["region"] = label == labels.end() ? Json() : Json(label->second);
                break;
            }
            case By::construct:
                entry["construct"] = text_or_null(what.kind);
                entry["label"] = text_or_null(what.label);
                break;
            case By::thread:
                entry["tid"] = what.number;
        }
        put_counter_sums(entry, plan, sums);
        Json* const lists[] = {&functions, &regions, &constructs, &by_tid};
        lists[static_cast<size_t>(what.by)]->push_back(std::move(entry));
    }
    Json all{{"functions", std::move(functions)},
             {"regions", std::move(regions)},
             {"constructs", std::move(constructs)}};
    if (threads == Threads::listed) all["threads"] = std::move(by_tid);
    return all;
}

}  // namespace ovni
