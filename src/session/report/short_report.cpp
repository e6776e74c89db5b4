#include "session/report/short_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "base/printable.hpp"
#include "calls/mpi_functions.hpp"
#include "messages/short/in_short.hpp"
#include "session/report/hybrid_in_report.hpp"
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

// How often a process had to leave its CPU to others in a second from MPI_Init to MPI_Finalize, the most;
// nothing if no process recorded it.
std::optional<double> displacements_per_second(const Trace& trace) {
    std::optional<double> most;
    for (const Stream& stream : trace.streams()) {
        const auto& use = stream.metadata.cpu_use;
        if (use && use->wall > 0)
            most = std::max(most.value_or(0),
                            static_cast<double>(use->switches) / (static_cast<double>(use->wall) * 1e-9));
    }
    return most;
}

// Threads that run at once on one CPU may sleep. Some 100 switches in a second show that they do not.
bool threads_displace_each_other(const ReportSubject& of) {
    constexpr double often = 20;
    return displacements_per_second(of.trace).value_or(often) >= often;
}

ShortSources::Crowd crowd_of(const ReportSubject& of, const ReportContent& content) {
    if (!content.ended || content.ended->checks.crowded.empty() || !threads_displace_each_other(of))
        return {};
    const std::vector<CrowdedCpu>& all = content.ended->checks.crowded;
    const CrowdedCpu& worst = *std::ranges::max_element(
        all, {}, [](const CrowdedCpu& cpu) { return std::pair(cpu.ns, -int64_t{cpu.cpu_row}); });
    const std::string label((*of.system.cpu_labels())[worst.cpu_row]);
    return {all.size(), label.substr(label.find_first_not_of(' ')),
            static_cast<double>(worst.ns) / static_cast<double>(std::max<int64_t>(content.duration, 1))};
}

// "solve heat.c:12": the function and line that call.
std::string line_of(uint32_t site, const CallSites& sites) {
    if (site == MpiCaller::unknown || sites.chains()[site - 1].empty()) return "";
    const CallSites::Caller& caller = sites.chains()[site - 1].front();
    return one_line(
        fmt::format("{} {}", sites.functions()[caller.function - 1], sites.lines()[caller.line - 1]));
}

std::string call_text(const ComputingCount::Call& call, const CallSites& sites) {
    const std::string line = line_of(call.site, sites);
    const std::string_view name = mpi_function_rows[call.function].name;
    return line.empty() ? std::string(name) : fmt::format("{} ({})", name, line);
}

void add_longer(const ReportSubject& of, const ReportContent& content, ShortPlaces& places) {
    using Pair = std::pair<ComputingCount::Call, ComputingCount::Call>;
    std::map<Pair, double> sums;
    for (const ComputingCount& count : content.computing)
        sums[{count.from, count.to}] += static_cast<double>(count.ns.number());
    const auto processes = static_cast<double>(of.system.processes().size());
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
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> most;
    for (const MpiCount& count : content.mpi) {
        const std::string line = line_of(count.site, of.plan.call_sites);
        uint64_t& known = most[{count.process, count.function}];
        if (line.empty() || count.sums.nanoseconds.number() <= known) continue;
        known = count.sums.nanoseconds.number();
        places.of_functions[{count.process, count.function}] = line;
    }
    add_longer(of, content, places);
    return places;
}

// Somebody holds it while others wait.
bool is_lock(std::string_view kind) {
    return kind == "mutex" || kind == "rwlock" || kind == "spin lock" || kind == "once";
}

ShortThreads short_threads_of(const ReportSubject& of, const ReportContent& content) {
    ShortThreads threads{hybrid_efficiencies_of(content), content.uses,
                         labels_of_parallel_regions(of.schema.thread)};
    for (const LockCount& count : content.locks)
        if (is_lock(count.kind) && count.ns > threads.lock.ns)
            threads.lock = {count.kind + " " + count.label, count.process, count.ns, count.waits};
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
    return in_short(sources);
}

}  // namespace ovni
