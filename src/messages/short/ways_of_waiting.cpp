#include "messages/short/ways_of_waiting.hpp"

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

std::optional<uint32_t> function_of_polling(uint32_t cause, const std::vector<WaitSum>& waits) {
    uint64_t all = 0;
    std::map<uint32_t, uint64_t> in_tests;  // ns by function
    for (const WaitSum& wait : waits) {
        if (wait.cause != cause) continue;
        all += wait.ns;
        if (wait.kind == WaitKind::failed_tests) in_tests[wait.function] += wait.ns;
    }
    for (const auto& [function, ns] : in_tests)
        if (ns > all / 2) return function;
    return std::nullopt;
}

}  // namespace ovni
