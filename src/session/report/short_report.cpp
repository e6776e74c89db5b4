#include "session/report/short_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/printable.hpp"
#include "calls/mpi_functions.hpp"
#include "messages/short/in_short.hpp"
#include "session/report/crowd.hpp"
#include "session/report/hybrid_in_report.hpp"
#include "session/report/other_programs.hpp"
#include "session/report/waits_in_report.hpp"

namespace ovni {

namespace {

// Functions of MPI with the time of all ranks in them, without waits for a rank.
std::map<uint32_t, uint64_t> times_in_functions(const ReportContent& content) {
    std::map<uint32_t, uint64_t> times;
    for (const MpiCount& count : content.mpi) times[count.function] += count.sums.nanoseconds.number();
    for (const WaitSum& wait : content.traffic->waits.sums) {
        uint64_t& time = times[wait.function];
        time -= std::min(time, wait.ns);
    }
    std::erase_if(times, [](const auto& time) {
        const MpiFunctionRow& function = mpi_function_rows[time.first];
        return is_init(function) || is_finalize(function);
    });
    return times;
}

std::string line_of_site(uint32_t site, const CallSites& sites) {
    return one_line(sites.line_of(site));
}

std::string call_text(const ComputingCount::Call& call, const CallSites& sites) {
    const std::string line = line_of_site(call.site, sites);
    const std::string_view name = mpi_function_rows[call.function].name;
    return line.empty() ? std::string(name) : fmt::format("{} ({})", name, line);
}

void add_longer(const ReportSubject& of, const ReportContent& content, ShortPlaces& places) {
    using Pair = std::pair<ComputingCount::Call, ComputingCount::Call>;
    std::map<Pair, double> sums;
    for (const ComputingCount& count : content.computing)
        sums[{count.from, count.to}] += static_cast<double>(count.ns.number());
    std::set<uint32_t> ranks;
    for (const ComputingCount& count : content.computing) ranks.insert(count.process);
    const auto processes = static_cast<double>(ranks.size());
    std::map<uint32_t, double> most;
    for (const ComputingCount& count : content.computing) {
        const double excess =
            static_cast<double>(count.ns.number()) - sums[{count.from, count.to}] / processes;
        double& known = most[count.process];
        if (excess <= known) continue;
        known = excess;
        places.longer[count.process] = {call_text(count.from, of.plan.call_sites),
                                        call_text(count.to, of.plan.call_sites)};
    }
}

ShortPlaces places_of(const ReportSubject& of, const ReportContent& content) {
    ShortPlaces places;
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> of_sites;  // by function and site
    for (const MpiCount& count : content.mpi)
        of_sites[{count.function, count.site}] += count.sums.nanoseconds.number();
    std::map<uint32_t, uint64_t> most;
    for (const auto& [key, ns] : of_sites) {
        const std::string line = line_of_site(key.second, of.plan.call_sites);
        if (line.empty()) continue;
        places.of_sites[key.second] = line;
        if (ns <= most[key.first]) continue;
        most[key.first] = ns;
        places.of_functions[key.first] = line;
    }
    add_longer(of, content, places);
    return places;
}

// Somebody holds it while others wait.
bool is_lock(std::string_view kind) {
    return kind == "mutex" || kind == "rwlock" || kind == "spin lock" || kind == "once";
}

ShortThreads::Lock longest_lock(const ReportContent& content) {
    std::map<LockName, ShortThreads::Lock> locks;
    std::map<LockName, std::set<std::string>> lines;  // where threads wait
    for (const LockCount& count : content.locks) {
        if (!is_lock(count.kind)) continue;
        const LockName name{count.kind, count.label};
        ShortThreads::Lock& lock = locks[name];
        lock.ns += count.ns;
        lock.waits += count.waits;
        ++lock.processes;
        if (count.ns > lock.ns_of_process) {
            lock.process = count.process;
            lock.ns_of_process = count.ns;
        }
        lines[name].merge(lines_of(count.code, content.lines));
    }
    const auto longest = std::ranges::max_element(locks, {}, [](const auto& lock) { return lock.second.ns; });
    if (longest == locks.end()) return {};
    ShortThreads::Lock lock = longest->second;
    const auto& [kind, label] = longest->first;
    const std::set<std::string>& at = lines[longest->first];
    lock.name =
        fmt::format("{} {}{}", kind, label, at.empty() ? "" : fmt::format(" ({})", fmt::join(at, ", ")));
    return lock;
}

ShortThreads short_threads_of(const ReportSubject& of, const ReportContent& content) {
    ShortThreads threads{hybrid_efficiencies_of(content), content.uses,
                         labels_of_parallel_regions(of.schema.thread)};
    const std::map<std::string, std::string> lines = lines_of_labels(content);
    for (auto& [value, label] : threads.parallel_regions)
        if (const auto line = lines.find(label); line != lines.end())
            label += fmt::format(" ({})", line->second);
    threads.lock = longest_lock(content);
    return threads;
}

}  // namespace

std::vector<std::string> short_report(const ReportSubject& of, const ReportContent& content) {
    static const std::vector<Efficiency> none;
    static const std::vector<DelayCost> no_delays;
    static const MessageSummary no_messages;
    const ReportContent::TrafficFacts* traffic = content.traffic ? &*content.traffic : nullptr;
    const std::map<int64_t, std::string> regions = names_of_regions(of.schema.thread);
    ShortSources sources{of.trace,
                         of.system,
                         regions,
                         traffic ? traffic->efficiencies.all : none,
                         traffic ? traffic->delays : no_delays,
                         traffic ? traffic->messages : no_messages,
                         short_threads_of(of, content),
                         places_of(of, content)};
    if (traffic) {
        sources.in_functions = times_in_functions(content);
        sources.waits = traffic->waits.sums;
    }
    sources.deadlocks = deadlocks_in(content.waiting, of.system);
    sources.crowd = crowd_of(of, content);
    sources.other_programs = find_other_programs(of.trace, of.system);
    return in_short(sources);
}

}  // namespace ovni
