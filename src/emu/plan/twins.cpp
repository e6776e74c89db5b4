#include "emu/plan/twins.hpp"

#include <map>
#include <utility>

#include "base/log.hpp"

namespace ovni {

namespace {

// A process that was forked has the rank of its parent, and is in its loom.
void warn_of_ranks(const System& system) {
    std::map<std::pair<int, int>, uint32_t> loom_of;
    size_t twins = 0;
    for (const ProcessInfo& process : system.processes()) {
        if (!process.rank) continue;
        uint32_t first = loom_of.try_emplace({process.app_id, *process.rank}, process.loom).first->second;
        if (first == process.loom || twins++ > 0) continue;
        log::warn("rank {} of application {} is in loom {} and in loom {} (streams of two runs?)",
                  *process.rank, process.app_id, system.looms()[first].name,
                  system.looms()[process.loom].name);
    }
    if (twins > 1) log::warn("and so are {} more ranks", twins - 1);
}

void warn_of_hosts(const Trace& trace, const System& system) {
    std::map<uint32_t, std::string> host_of;  // by loom; empty: reported
    for (const ThreadInfo& thread : system.threads()) {
        const std::optional<std::string>& host = trace.streams()[thread.stream].metadata.common->host;
        if (!host) continue;
        std::string& first = host_of.try_emplace(thread.loom, *host).first->second;
        if (first.empty() || first == *host) continue;
        log::warn("loom {} was recorded on the hosts {} and {}: their CPUs are shown as those of one host",
                  system.looms()[thread.loom].name, first, *host);
        first.clear();
    }
}

}  // namespace

void warn_of_twins(const Trace& trace, const System& system) {
    warn_of_ranks(system);
    warn_of_hosts(trace, system);
}

}  // namespace ovni
