// The member `counters` of a report: sums of counters by function of MPI and by region, with rates.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "emu/plan.hpp"
#include "session/event_tally.hpp"

namespace ovni {

class CountersInReport {
 public:
    // Labels of values, by type.
    using Labels = std::map<std::pair<uint32_t, int64_t>, std::string>;

    void add(const CounterCount& count);
    nlohmann::ordered_json json(const Plan& plan, const Labels& labels) const;

 private:
    std::map<std::pair<CounterCount::By, int64_t>, CounterSums> sums_;
};

}  // namespace ovni
