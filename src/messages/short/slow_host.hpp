// A host on which all ranks take longer than those on other hosts: its CPUs may be slow, or shared with
// others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ovni {

struct SlowHost {
    std::string name;
    size_t ranks = 0;
    double mean = 0, mean_of_others = 0;  // ns that a rank computes
};
// `computes`: ns that each rank of a host computes. Nothing if there is one host, if the host has one rank,
// or if its ranks differ more among themselves than from the others.
std::optional<SlowHost> find_slow_host(const std::map<std::string, std::vector<int64_t>>& computes);

}  // namespace ovni
