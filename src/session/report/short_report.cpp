#include "session/report/short_report.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "calls/mpi_functions.hpp"
#include "messages/costs/in_short.hpp"
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

ShortSources::Crowd crowd_of(const ReportSubject& of, const ReportContent& content) {
    if (!content.ended || content.ended->checks.crowded.empty()) return {};
    const std::vector<CrowdedCpu>& all = content.ended->checks.crowded;
    const CrowdedCpu& worst = *std::ranges::max_element(
        all, {}, [](const CrowdedCpu& cpu) { return std::pair(cpu.ns, -int64_t{cpu.cpu_row}); });
    const std::string label((*of.system.cpu_labels())[worst.cpu_row]);
    return {all.size(), label.substr(label.find_first_not_of(' ')),
            static_cast<double>(worst.ns) / static_cast<double>(std::max<int64_t>(content.duration, 1))};
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
                         traffic ? traffic->messages : no_messages};
    if (traffic) {
        sources.in_functions = times_in_functions(content);
        sources.waits = traffic->waits.sums;
    }
    sources.deadlocks = deadlocks_in(content.waiting, of.system);
    sources.crowd = crowd_of(of, content);
    return in_short(sources);
}

}  // namespace ovni
