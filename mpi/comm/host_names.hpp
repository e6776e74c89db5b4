// Names of nodes as traces and offset tables have them: up to the first dot, and no name twice.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/host_name.hpp"
#include "core/host_suffix.hpp"

namespace ovni {

// Returns a name per node, with nodes in the order of their lowest ranks.
inline std::vector<std::string> distinct_host_names(std::vector<std::string> names) {
    for (std::string& name : names) name.resize(std::min(name.find('.'), name.size()));
    const std::vector<std::string> given = names;
    for (int i = 0; i < static_cast<int>(given.size()); ++i) {
        auto name_of = [&](int node) { return std::string_view(given[static_cast<size_t>(node)]); };
        int number = host_suffix(i, static_cast<int>(given.size()), name_of);
        if (number > 0) names[static_cast<size_t>(i)] += "-" + std::to_string(number);
    }
    return names;
}

}  // namespace ovni
