#include "session/scanned_trace.hpp"

#include <unistd.h>

#include <string>
#include <utility>

#include "base/log.hpp"
#include "base/parallel.hpp"
#include "base/table_memory.hpp"
#include "core/launcher.hpp"
#include "messages/match/message_lines.hpp"

namespace ovni {

ScannedTrace::ScannedTrace(OpenedTrace& opened, const ScanNeeds& needs, int64_t origin) : opened_(opened) {
    found = opened.ranks().agree([&] { return scan(needs); });
    if (matches()) analyse_traffic(needs, origin);
    if (needs.calls) find_calls(origin);
}

// Many ranks have a core each.
size_t ScannedTrace::threads() const {
    return opened_.ranks().is_alone() ? usable_cores() : 1;
}

bool ScannedTrace::matches() const {
    return opened_.options.messages == Messages::matched && may_have_messages(opened_.trace);
}

Scanned ScannedTrace::scan(const ScanNeeds& needs) const {
    ScanFor wanted;
    wanted.messages = matches();
    wanted.open_calls = may_have_open_calls(opened_.trace);
    wanted.open_waits = may_have_open_waits(opened_.trace);
    wanted.timeline = needs.calls;
    if (wanted.messages || wanted.timeline)
        limit_table_memory(opened_.options.memory.value_or(fair_memory_limit(local_size_by_launcher())),
                           memory_directory());
    ScannedPart part{opened_.share.processes, {}, threads(), opened_.plan.call_sites.of_streams()};
    for (uint32_t s = 0; s < opened_.trace.streams().size(); ++s)
        if (opened_.reads(s) && opened_.system.thread_of_stream(s) == System::no_thread)
            part.strays.push_back(s);
    return ovni::scan(opened_.trace, opened_.system, part, wanted, opened_.quiet_reader());
}

void ScannedTrace::analyse_traffic(const ScanNeeds& needs, int64_t origin) {
    const Ranks& ranks = opened_.ranks();
    const std::vector<bool>& mine = opened_.share.processes;
    TrafficAnalysis all =
        ovni::analyse_traffic(ranks, opened_.trace, opened_.system, opened_.clocks, mine, found, threads(),
                              needs.report ? Analysis::whole : Analysis::for_timeline);
    add_wait_types(ranks, all.waits, all.critical_path, opened_.plan.schema.thread);
    if (needs.traffic) {
        rows = traffic_rows(opened_.system, all, origin);
        longest_waits = wait_rows(opened_.system, ranks.broadcast(all.wait_summary.longest), origin);
    }
    traffic.emplace(PendingMessages(opened_.system, std::move(all.messages), origin),
                    WaitsInTimeline(opened_.system, all.waits, all.critical_path, mine, origin));
    facts = {std::move(all.summary),
             std::move(all.wait_summary),
             {},
             std::move(all.critical_path),
             std::move(all.delays)};
    efficiencies = std::move(all.efficiencies);
    borders = std::move(all.borders);
    if (ranks.is_root() && !facts->messages.is_empty())
        for (const std::string& line : message_lines(facts->messages)) log::info("{}", line);
    report_memory_in_files();
}

void ScannedTrace::find_calls(int64_t origin) {
    std::vector<uint32_t> streams;
    for (uint32_t s = 0; s < opened_.trace.streams().size(); ++s)
        if (opened_.reads(s)) streams.push_back(s);
    mpi = find_mpi_plan(opened_.ranks(), opened_.trace, opened_.system, found, origin);
    found.timeline.uses = std::vector<CommunicatorUse>();
    if (!mpi.plan.has_files()) return;
    opened_.ranks().agree([&] {
        calls.emplace(opened_.ranks(), opened_.system, mpi, found.timeline.calls, streams,
                      opened_.share.processes, origin);
    });
}

// Not every node sees the outputs, and the trace may be read-only.
std::filesystem::path ScannedTrace::memory_directory() const {
    const std::filesystem::path& output = opened_.options.output;
    const bool takes_files =
        ::access(output.c_str(), W_OK | X_OK) == 0 && std::filesystem::is_directory(output);
    return takes_files ? output : std::filesystem::temp_directory_path();
}

void ScannedTrace::report_memory_in_files() const {
    const MemoryInFiles mine = memory_in_files();
    const Ranks& ranks = opened_.ranks();
    const uint64_t all = ranks.allreduce(Op::sum, ranks.is_first_of_process() ? mine.most : 0);
    if (ranks.is_root() && all > 0)
        log::info("messages take more than --memory: {:.1f} MB lay in files in {}",
                  static_cast<double>(all) * 1e-6, memory_directory().string());
    if (!mine.refusal.empty())
        log::warn("messages take more than --memory, and files in {} cannot hold all of them: {}",
                  memory_directory().string(), mine.refusal);
}

}  // namespace ovni
