#include "session/report/crowd.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "session/report/cpu_use.hpp"

namespace ovni {

namespace {

double share_of(const CrowdedCpu& cpu, int64_t duration) {
    return static_cast<double>(cpu.ns) / static_cast<double>(std::max<int64_t>(duration, 1));
}

struct UseOfProcess {
    uint32_t process;
    uint32_t threads;  // without those that sleep all the time
    const ProcessMetadata::CpuUse& use;
};

// The uses of the processes of a node that have told it.
std::vector<UseOfProcess> uses_on(const ReportSubject& of, uint32_t loom, const ReportContent& content) {
    std::vector<UseOfProcess> all;
    for (uint32_t p = 0; p < of.system.processes().size(); ++p) {
        const ProcessInfo& process = of.system.processes()[p];
        if (process.loom != loom) continue;
        const ProcessMetadata::CpuUse* use = cpu_use_of(process, of.trace, of.system);
        if (!use) continue;
        const auto asleep = std::ranges::count(content.uses.sleepers, p, &SleepingThread::process);
        all.push_back({p, std::max(1u, process.thread_count - static_cast<uint32_t>(asleep)), *use});
    }
    return all;
}

// The processes of a node that may use the same CPUs and have least of them for their threads, if that is too
// few.
void find_cramped(const std::vector<UseOfProcess>& uses, ShortSources::Crowd& crowd) {
    std::map<std::string_view, ShortSources::Crowd> by_list;
    for (const auto& [process, threads, use] : uses) {
        ShortSources::Crowd& group = by_list[use.cpus];
        if (group.ranks == 0) group.cramped = process;
        ++group.ranks;
        group.threads += threads;
        group.of_each = std::max(group.of_each, threads);
    }
    double least = 1;
    crowd.ranks = 0;
    for (const auto& [list, group] : by_list) {
        const size_t cpus = cpus_in(list).size();
        const double of_thread = static_cast<double>(cpus) / group.threads;
        if (cpus == 0 || of_thread >= least) continue;
        least = of_thread;
        crowd.cramped = group.cramped;
        crowd.ranks = group.ranks;
        crowd.threads = group.threads;
        crowd.of_each = group.of_each;
        crowd.list = list;
    }
}

}  // namespace

// Other programs displace threads, too. Those that compute there displace each other often.
std::optional<bool> displace_each_other(const ReportSubject& of, const CrowdedCpu& cpu,
                                        const ReportContent& content) {
    constexpr double least_computing = 0.25;
    const double share = share_of(cpu, content.duration);
    const std::vector<UseOfProcess> uses = uses_on(of, of.system.cpus()[cpu.cpu_row].loom, content);
    if (uses.empty()) return std::nullopt;
    bool are_displaced = false;
    double computing = 0, wall = 0;
    size_t threads = 0;
    std::set<int> cpus;
    for (const auto& [process, of_process, use] : uses) {
        computing += static_cast<double>(use.cpu);
        wall = std::max(wall, static_cast<double>(use.wall));
        threads += of_process;
        cpus.merge(cpus_in(use.cpus));
        are_displaced = are_displaced || is_displaced_often(use, of_process, share);
    }
    const size_t at_once = cpus.empty() ? threads : std::min(threads, cpus.size());
    return are_displaced && wall > 0 &&
           computing >= least_computing * wall * share * static_cast<double>(at_once);
}

ShortSources::Crowd crowd_of(const ReportSubject& of, const ReportContent& content) {
    if (!content.ended) return {};
    ShortSources::Crowd crowd;
    std::pair<int64_t, int64_t> most;  // ns; of equal CPUs the first
    for (const CrowdedCpu& cpu : content.ended->checks.crowded) {
        if (!displace_each_other(of, cpu, content).value_or(false)) continue;
        ++crowd.cpus;
        const std::pair key(cpu.ns, -int64_t{cpu.cpu_row});
        if (crowd.cpus > 1 && key <= most) continue;
        most = key;
        const std::string label((*of.system.cpu_labels())[cpu.cpu_row]);
        crowd.worst = label.substr(label.find_first_not_of(' '));
        crowd.share = share_of(cpu, content.duration);
        find_cramped(uses_on(of, of.system.cpus()[cpu.cpu_row].loom, content), crowd);
    }
    return crowd;
}

}  // namespace ovni
