// The schema with labels of values that few traces show. Outputs define them before they know what is shown.
#pragma once

#include <cstdint>
#include <vector>

#include "emu/plan/plan.hpp"

namespace ovni {

inline Schema with_all_labels(const Plan& plan) {
    Schema schema = plan.schema;
    add_labels(schema, plan, std::vector<int64_t>(ShownExtras(plan).until(end_of_trace).size(), 1));
    return schema;
}

// Counters show numbers, not states.
constexpr bool is_counter(uint32_t type) {
    return type >= prv_type::first_instant || (type >= prv_type::first_counter && type < prv_type::call_site);
}

}  // namespace ovni
