#include "session/report/cpu_list.hpp"

#include <algorithm>

#include "core/parse_number.hpp"

namespace ovni {

std::set<int> cpus_in(std::string_view list) {
    constexpr int most = 1 << 20;
    std::set<int> cpus;
    while (!list.empty()) {
        const std::string_view item = list.substr(0, list.find(','));
        list.remove_prefix(std::min(list.size(), item.size() + 1));
        const size_t dash = item.find('-');
        const auto first = parse_number<int>(item.substr(0, dash));
        const auto last = dash == item.npos ? first : parse_number<int>(item.substr(dash + 1));
        if (!first || !last || *first < 0 || *last < *first || *last >= most) return {};
        for (int cpu = *first; cpu <= *last; ++cpu) cpus.insert(cpu);
    }
    return cpus;
}

}  // namespace ovni
