#include "session/report/crowd.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "session/report/cpu_list.hpp"

namespace ovni {

namespace {

double share_of(const CrowdedCpu& cpu, int64_t duration) {
    return static_cast<double>(cpu.ns) / static_cast<double>(std::max<int64_t>(duration, 1));
}

}  // namespace

// Other programs displace threads, too. Those that compute there displace each other at least ten times a
// second.
std::optional<bool> displace_each_other(const ReportSubject& of, const CrowdedCpu& cpu, int64_t duration) {
    constexpr double often = 10, least_computing = 0.25;
    const double share = share_of(cpu, duration);
    std::optional<bool> do_so;
    const uint32_t loom = of.system.cpus()[cpu.cpu_row].loom;
    for (const ThreadInfo& thread : of.system.threads()) {
        const auto& use = of.trace.streams()[thread.stream].metadata.process->cpu_use;
        if (thread.loom != loom || !use) continue;
        const double of_threads =
            static_cast<double>(use->wall) * share * of.system.processes()[thread.process].thread_count;
        if (static_cast<double>(use->switches) >= often * of_threads * 1e-9 &&
            static_cast<double>(use->cpu) >= least_computing * of_threads && use->wall > 0)
            return true;
        do_so = false;
    }
    return do_so;
}

namespace {

// The process of the node that has least CPUs for each of its threads, if these are too few.
void find_cramped(const ReportSubject& of, uint32_t loom, ShortSources::Crowd& crowd) {
    double least = 1;
    crowd.threads = 0;
    for (const ThreadInfo& thread : of.system.threads()) {
        const auto& use = of.trace.streams()[thread.stream].metadata.process->cpu_use;
        if (thread.loom != loom || !use || use->cpus.empty()) continue;
        const uint32_t threads = of.system.processes()[thread.process].thread_count;
        const double of_each = static_cast<double>(cpus_in(use->cpus).size()) / threads;
        if (of_each >= least) continue;
        least = of_each;
        crowd.cramped = thread.process;
        crowd.threads = threads;
        crowd.list = use->cpus;
    }
}

}  // namespace

ShortSources::Crowd crowd_of(const ReportSubject& of, const ReportContent& content) {
    if (!content.ended) return {};
    ShortSources::Crowd crowd;
    std::pair<int64_t, int64_t> most;  // ns; of equal CPUs the first
    for (const CrowdedCpu& cpu : content.ended->checks.crowded) {
        if (!displace_each_other(of, cpu, content.duration).value_or(false)) continue;
        ++crowd.cpus;
        const std::pair key(cpu.ns, -int64_t{cpu.cpu_row});
        if (crowd.cpus > 1 && key <= most) continue;
        most = key;
        const std::string label((*of.system.cpu_labels())[cpu.cpu_row]);
        crowd.worst = label.substr(label.find_first_not_of(' '));
        crowd.share = share_of(cpu, content.duration);
        find_cramped(of, of.system.cpus()[cpu.cpu_row].loom, crowd);
    }
    return crowd;
}

}  // namespace ovni
