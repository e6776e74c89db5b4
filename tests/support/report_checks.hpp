// Checks of members of a report against each other.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace ovni::test {

// Times of MPI calls are those of the states that the same document has of the model, in all and by process.
inline void expect_mpi_times_as_in_states(const nlohmann::ordered_json& report) {
    constexpr int mpi_function = 25;
    auto expect_alike = [](const nlohmann::ordered_json& sums) {
        std::map<std::string, uint64_t> shown, in_mpi;
        for (const auto& state : sums["states"])
            if (state["type"] == mpi_function)
                for (const auto& value : state["values"]) shown[value["label"]] = value["ns"];
        for (const auto& function : sums["mpi"]) in_mpi[function["function"]] = function["ns"];
        EXPECT_EQ(in_mpi, shown);
    };
    expect_alike(report["total"]);
    for (const auto& process : report["processes"]) expect_alike(process);
}

}  // namespace ovni::test
