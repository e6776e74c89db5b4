#include "session/report/cpu_use.hpp"

#include <algorithm>

#include "core/parse_number.hpp"

namespace ovni {

const ProcessMetadata::CpuUse* cpu_use_of(const ProcessInfo& process, const Trace& trace,
                                          const System& system) {
    for (uint32_t t = 0; t < process.thread_count; ++t) {
        const ThreadInfo& thread = system.threads()[process.first_thread + t];
        const auto& use = trace.streams()[thread.stream].metadata.process->cpu_use;
        if (use) return &*use;
    }
    return nullptr;
}

bool is_displaced_often(const ProcessMetadata::CpuUse& use, uint32_t threads, double share) {
    constexpr double often = 10, second = 1e9;
    return static_cast<double>(use.switches) * second >=
           often * static_cast<double>(use.wall) * share * threads;
}

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
