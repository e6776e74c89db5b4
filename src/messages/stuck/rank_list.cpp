#include "messages/stuck/rank_list.hpp"

#include <fmt/format.h>

namespace ovni {

std::string rank_list(const std::vector<int>& ranks) {
    std::string text = ranks.size() == 1 ? "rank " : "ranks ";
    for (size_t i = 0; i < ranks.size(); ++i) {
        size_t last = i;
        while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
        text += fmt::format("{}{}", i == 0 ? "" : ", ", ranks[i]);
        if (last > i) text += fmt::format("-{}", ranks[last]);
        i = last;
    }
    return text;
}

}  // namespace ovni
