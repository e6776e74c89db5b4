// The order in which outputs for MPI show processes: by world and rank, those without a rank behind.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <vector>

#include "emu/records/schema.hpp"

namespace ovni {

inline bool has_rank(const ShownProcess& process) {
    return process.rank && process.world;
}

// Numbers of processes.
inline std::vector<uint32_t> processes_in_order(const Schema& schema) {
    std::vector<uint32_t> order(schema.processes.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::sort(order, {}, [&](uint32_t p) {
        const ShownProcess& process = schema.processes[p];
        return std::tuple(!has_rank(process), process.world.value_or(0), process.rank.value_or(0), p);
    });
    return order;
}

}  // namespace ovni
