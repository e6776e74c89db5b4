// Names of nodes as traces and offset tables have them: up to the first dot, and different from each other.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <climits>
#include <string>
#include <vector>

namespace ovni {

// The name that gethostname gives, whole.
inline std::string host_name() {
    char name[HOST_NAME_MAX + 1] = {};
    ::gethostname(name, HOST_NAME_MAX);
    return name;
}

// One name per node, nodes in the order of their lowest rank: of equal short names the second gets "-2", the
// third "-3" behind it, or the next number that makes no name of another node.
inline std::vector<std::string> distinct_host_names(std::vector<std::string> names) {
    for (std::string& name : names) name.resize(std::min(name.find('.'), name.size()));
    const std::vector<std::string> given = names;
    for (size_t i = 0; i < names.size(); ++i) {
        auto taken = [&](const std::string& name) {
            auto end = names.begin() + static_cast<std::ptrdiff_t>(i);
            return std::find(names.begin(), end, name) != end;
        };
        for (int number = 2; taken(names[i]); ++number) {
            std::string candidate = given[i] + "-" + std::to_string(number);
            if (std::find(given.begin(), given.end(), candidate) == given.end()) names[i] = candidate;
        }
    }
    return names;
}

}  // namespace ovni
