#include "messages/costs/ways_of_waiting.hpp"

#include <algorithm>
#include <map>

namespace ovni {

std::vector<uint32_t> chain_behind(uint32_t first, const std::vector<WaitSum>& waits) {
    std::map<uint32_t, std::map<uint32_t, uint64_t>> waiting;  // ns by cause and process
    for (const WaitSum& wait : waits)
        if (wait.cause != WaitSum::no_process) waiting[wait.cause][wait.process] += wait.ns;
    std::vector<uint32_t> chain{first};
    for (uint64_t least = 0; waiting.contains(chain.back());) {
        std::map<uint32_t, uint64_t>& behind = waiting[chain.back()];
        for (uint32_t process : chain) behind.erase(process);
        if (behind.empty()) break;
        const auto [next, ns] =
            *std::ranges::max_element(behind, {}, [](const auto& of) { return of.second; });
        if (ns < least) break;
        if (least == 0) least = ns / 2;
        chain.push_back(next);
    }
    return chain;
}

}  // namespace ovni
