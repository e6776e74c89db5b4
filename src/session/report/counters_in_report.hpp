// The member `counters` of a report: sums of counters by function of MPI, region, construct and thread, with
// rates.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "emu/plan/plan.hpp"
#include "session/report/event_tally.hpp"

namespace ovni {

class CountersInReport {
 public:
    // Labels of values, by type.
    using Labels = std::map<std::pair<uint32_t, int64_t>, std::string>;

    // Threads of several processes may have one tid.
    enum class Threads { listed, left_out };

    void add(const CounterCount& count);
    nlohmann::ordered_json json(const Plan& plan, const Labels& labels, Threads threads) const;

 private:
    std::map<CounterCount::What, CounterSums> sums_;
};

}  // namespace ovni
