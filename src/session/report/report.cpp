#include "session/report/report.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "emu/plan/worlds.hpp"
#include "session/command/options.hpp"
#include "session/report/counters_in_report.hpp"
#include "session/report/crowd.hpp"
#include "session/report/hybrid_in_report.hpp"
#include "session/report/messages_in_report.hpp"
#include "session/report/short_report.hpp"
#include "session/report/waits_in_report.hpp"
#include "sink/output_names.hpp"

namespace ovni {

namespace {

using Json = nlohmann::ordered_json;

constexpr int version = 1;

Json or_null(const std::optional<int>& number) {
    return number ? Json(*number) : Json();
}

// Titles and labels of what thread rows show.
class Names {
 public:
    explicit Names(const FileSchema& file) {
        for (const EventType& type : file.types) {
            titles_[type.type] = type.title;
            for (const auto& [value, label] : type.labels.all())
                labels_.emplace(std::pair(type.type, value), label);
        }
    }
    const std::map<std::pair<uint32_t, int64_t>, std::string>& labels() const { return labels_; }
    Json title(uint32_t type) const { return titles_.at(type); }
    Json label(uint32_t type, int64_t value) const {
        auto found = labels_.find({type, value});
        return found == labels_.end() ? Json() : Json(found->second);
    }

 private:
    std::map<uint32_t, std::string> titles_;
    std::map<std::pair<uint32_t, int64_t>, std::string> labels_;
};

// The sums of one process, or of all.
struct Sums {
    struct State {
        WideSum ns;
        uint64_t times = 0;
    };
    using Value = std::pair<StateTime::Named, int64_t>;
    std::map<uint32_t, uint64_t> events;                     // by model in the plan
    std::map<uint32_t, std::map<Value, State>> states;       // by type
    std::map<uint32_t, MpiSums> mpi;                         // by function
    std::map<std::pair<uint32_t, uint32_t>, MpiSums> sites;  // by function and call site
    CountersInReport counters;
    LockSumsByName locks;
    std::map<int64_t, RegionInAll> regions;

    void add(const RegionCount& count) { regions[count.region].add(count.sums); }
    void add(const EventCount& count) { events[count.model] += count.count; }
    void add(const MpiCount& count) {
        mpi[count.function] += count.sums;
        sites[{count.function, count.site}] += count.sums;
    }
    void add(const CounterCount& count) { counters.add(count); }
    void add(const LockCount& count) {
        LockSums sums;
        sums.waits = count.waits;
        sums.nanoseconds = count.ns;
        sums.longest = count.longest;
        for (const auto& [tid, waits, ns] : count.holders) sums.holders[tid] = {waits, ns};
        for (const std::string& code : count.code) sums.code.add(code);
        locks[{count.kind, count.label}] += sums;
    }
    void add(const StateTime& time) {
        State& state = states[time.type][{time.named, time.value}];
        state.ns += time.ns;
        state.times += time.times;
    }
};

Json states_of(const Sums& sums, const Names& names) {
    Json types = Json::array();
    for (const auto& [type, states] : sums.states) {
        Json values = Json::array();
        for (const auto& [value, state] : states) {
            const auto [named, number] = value;
            bool has_name = named == StateTime::Named::yes;
            values.push_back({{"value", has_name ? Json(number) : Json()},
                              {"label", has_name ? names.label(type, number) : Json()},
                              {"ns", state.ns.number()},
                              {"times", state.times}});
        }
        types.push_back({{"type", type}, {"title", names.title(type)}, {"values", std::move(values)}});
    }
    return types;
}

Json function_of(uint32_t function, const MpiSums& sums) {
    return {{"function", mpi_function_rows[function].name},
            {"calls", sums.calls},
            {"ns", sums.nanoseconds.number()},
            {"sent", sums.sent.number()},
            {"received", sums.received.number()}};
}

Json mpi_of(const Sums& sums) {
    Json functions = Json::array();
    for (const auto& [function, of] : sums.mpi) functions.push_back(function_of(function, of));
    return functions;
}

Json callers_of(uint32_t site, const CallSites& sites) {
    Json callers = Json::array();
    if (site == MpiCaller::unknown) return callers;
    for (const CallSites::Caller& caller : sites.chains()[site - 1])
        callers.push_back(
            {{"function", sites.functions()[caller.function - 1]}, {"line", sites.lines()[caller.line - 1]}});
    return callers;
}

// Rows with most time come first.
Json sites_of(const Sums& sums, const CallSites& sites) {
    std::vector<std::pair<std::pair<uint32_t, uint32_t>, MpiSums>> rows(sums.sites.begin(), sums.sites.end());
    std::ranges::stable_sort(rows, std::greater(), [](auto& row) { return row.second.nanoseconds.number(); });
    Json all = Json::array();
    for (const auto& [caller, of] : rows) {
        all.push_back(function_of(caller.first, of));
        all.back()["callers"] = callers_of(caller.second, sites);
    }
    return all;
}

Json spread_of(const Spread& spread) {
    return {{"min", spread.least}, {"mean", spread.mean()}, {"max", spread.most}};
}

enum class Spreads { shown, left_out };

Json regions_of(const Sums& sums, const Names& names, Spreads spreads) {
    Json regions = Json::array();
    for (const auto& [region, of] : sums.regions) {
        Json& entry = regions.emplace_back(
            Json{{"region", names.label(prv_type::first_mark + OVNI_MPI_REGION_MARK, region)},
                 {"visits", of.sums.visits},
                 {"inclusive", of.sums.inclusive.number()},
                 {"exclusive", of.sums.exclusive.number()}});
        if (spreads == Spreads::left_out) continue;
        entry["processes"] = of.inclusive.processes;
        entry["inclusive_of_each"] = spread_of(of.inclusive);
        entry["exclusive_of_each"] = spread_of(of.exclusive);
    }
    return regions;
}

// Threads of several processes may have one tid.
enum class Holders { named, left_out };

Json locks_of(const Sums& sums, const CodeLines& lines, Holders named) {
    Json locks = Json::array();
    for (const auto& [name, of] : sums.locks) {
        Json& lock = locks.emplace_back(Json{{"kind", name.kind},
                                             {"object", name.label},
                                             {"waits", of.waits},
                                             {"ns", of.nanoseconds.number()},
                                             {"longest", of.longest},
                                             {"lines", lines_of(of.code.all(), lines)}});
        if (named == Holders::left_out) continue;
        Json& holders = lock["holders"] = Json::array();
        for (const auto& [tid, held] : of.holders)
            holders.push_back({{"tid", tid == 0 ? Json() : Json(tid)},
                               {"waits", held.waits},
                               {"ns", held.nanoseconds.number()}});
    }
    return locks;
}

void put(Json& into, const Sums& sums, const Plan& plan, const Names& names, const CodeLines& lines,
         Holders holders) {
    Json events = Json::object();
    for (const auto& [model, count] : sums.events) events[plan.models[model].spec->name] = count;
    into["events"] = std::move(events);
    into["states"] = states_of(sums, names);
    into["mpi"] = mpi_of(sums);
    into["callsites"] = plan.call_sites.empty() ? Json::array() : sites_of(sums, plan.call_sites);
    const auto threads =
        holders == Holders::named ? CountersInReport::Threads::listed : CountersInReport::Threads::left_out;
    if (!plan.instants.empty()) into["counters"] = sums.counters.json(plan, names.labels(), threads);
    into["locks"] = locks_of(sums, lines, holders);
    into["regions"] = regions_of(sums, names, holders == Holders::named ? Spreads::left_out : Spreads::shown);
}

Json process_of(const ReportSubject& of, const ProcessInfo& process) {
    const StreamMetadata& stream =
        of.trace.streams()[of.system.threads()[process.first_thread].stream].metadata;
    return {{"loom", of.system.looms()[process.loom].name},
            {"host", host_of(stream)},
            {"pid", process.pid},
            {"application", process.app_id},
            {"rank", or_null(process.rank)},
            {"ranks", or_null(process.nranks)},
            {"threads", process.thread_count}};
}

// Puts the counts, by process and in all.
void put_sums(Json& into, const ReportSubject& of, const ReportContent& content) {
    std::vector<Sums> by_process(of.system.processes().size());
    Sums all;
    auto add = [&](const auto& items) {
        for (const auto& item : items) by_process[item.process].add(item), all.add(item);
    };
    add(content.events);
    add(content.states);
    add(content.mpi);
    add(content.counters);
    add(content.locks);
    add(content.regions);
    const Names names(of.schema.thread);
    Json& total = into["total"];
    put(total, all, of.plan, names, content.lines, Holders::left_out);
    Json& processes = into["processes"] = Json::array();
    for (size_t p = 0; p < by_process.size(); ++p) {
        Json& process = processes.emplace_back(process_of(of, of.system.processes()[p]));
        put(process, by_process[p], of.plan, names, content.lines, Holders::named);
    }
}

Json trace_of(const ReportSubject& of, int64_t duration) {
    Json models = Json::array();
    for (const ModelPlan& model : of.plan.models)
        models.push_back({{"id", std::string(1, model.spec->id)},
                          {"name", model.spec->name},
                          {"version", model.spec->version}});
    const std::optional<std::string> run = run_of(of.trace);
    return {{"directory", of.trace.directory().string()},
            {"run", run ? Json(*run) : Json()},
            {"commands", commands_of(of.trace)},
            {"libovni", writers_of(of.trace)},
            {"models", std::move(models)},
            {"duration", duration},
            {"looms", of.system.looms().size()},
            {"processes", of.system.processes().size()},
            {"threads", of.system.threads().size()},
            {"cpus", of.system.cpus().size()},
            {"streams", of.trace.streams().size()}};
}

std::string path_of_thread(const ReportSubject& of, uint32_t row) {
    return of.trace.streams()[of.system.threads()[row].stream].relative_path();
}

Json gaps_in(const ReportSubject& of, const std::vector<GapFact>& gaps) {
    struct Reason {
        uint64_t gaps = 0;
        WideSum lost;
    };
    std::map<std::string, Reason> reasons;
    WideSum lost;
    Json list = Json::array(), by_reason = Json::array();
    for (const GapFact& gap : gaps) {
        list.push_back({{"stream", path_of_thread(of, gap.thread_row)},
                        {"from", gap.from},
                        {"to", gap.to == GapFact::open ? Json() : Json(gap.to)},
                        {"lost", gap.lost},
                        {"reason", gap.reason}});
        Reason& reason = reasons[gap.reason];
        ++reason.gaps;
        reason.lost += gap.lost;
        lost += gap.lost;
    }
    for (const auto& [name, reason] : reasons)
        by_reason.push_back({{"reason", name}, {"gaps", reason.gaps}, {"lost", reason.lost.number()}});
    return {{"lost", lost.number()}, {"reasons", std::move(by_reason)}, {"list", std::move(list)}};
}

Json damages_in(const ReportContent& content) {
    if (!content.damages) return {};
    Json list = Json::array();
    for (const Damage& damage : *content.damages)
        list.push_back({{"stream", damage.ranks > 0 ? Json() : Json(damage.relative_path)},
                        {"cause", damage.cause},
                        {"good_bytes", damage.end ? Json(*damage.end) : Json()}});
    return list;
}

Json ends_by_force(const Trace& trace) {
    Json ends = Json::array();
    for (const Stream& stream : trace.streams())
        if (const auto& end = stream.metadata.end)
            ends.push_back({{"stream", stream.relative_path()},
                            {"by", *end->by},
                            {"code", end->code},
                            {"clock", end->clock ? Json(*end->clock) : Json()}});
    return ends;
}

Json waiting_in(const ReportSubject& of, const Waiting& waiting) {
    Json all = Json::array();
    for (const WaitingCall& call : waiting.calls) {
        const std::optional<int>& rank = of.system.processes()[call.process].rank;
        all.push_back({{"stream", of.trace.streams()[call.stream].relative_path()},
                       {"rank", rank ? Json(*rank) : Json()},
                       {"function", mpi_function_rows[call.function].name},
                       {"since", call.since},
                       {"until", call.until},
                       {"needs", call.needs},
                       {"for", call.what}});
    }
    return all;
}

Json open_waits_in(const ReportSubject& of, const std::vector<OpenWait>& waits) {
    Json all = Json::array();
    for (const OpenWait& wait : waits) {
        const ThreadInfo& thread = of.system.threads()[of.system.thread_of_stream(wait.stream)];
        all.push_back({{"stream", of.trace.streams()[wait.stream].relative_path()},
                       {"rank", or_null(of.system.processes()[thread.process].rank)},
                       {"tid", thread.tid},
                       {"kind", wait.kind},
                       {"object", wait.object},
                       {"holder", wait.tid == 0 ? Json() : Json(wait.tid)},
                       {"since", wait.since},
                       {"until", wait.until}});
    }
    return all;
}

Json missing_ranks_of(const System& system) {
    Json all = Json::array();
    for (const auto& [application, missing, ranks, first] : missing_ranks(system))
        all.push_back(
            {{"application", application}, {"missing", missing}, {"ranks", ranks}, {"first", first}});
    return all;
}

Json clocks_of(const ReportSubject& of, const ReportContent& content) {
    ClockQuality quality =
        of.clocks.quality(of.clocks.hosts_of(of.trace), content.origin, content.origin + content.duration);
    bool known = quality.measured > 0;
    return {{"hosts", quality.hosts},
            {"measured", quality.measured},
            {"bound", known ? Json(quality.bound) : Json()},
            {"drift_corrected", quality.drifts},
            {"extrapolated_before", quality.before},
            {"extrapolated_after", quality.behind}};
}

void put_traffic(Json& into, const ReportSubject& of, const ReportContent& content) {
    if (!content.traffic) {
        for (const char* name : {"messages", "collectives", "waits", "efficiencies", "critical_path"})
            into[name] = Json();
        return;
    }
    const ReportContent::TrafficFacts& traffic = *content.traffic;
    const FileSchema& threads = of.schema.thread;
    const PlaceNames names{names_of_regions(threads), of.plan.call_sites};
    into["messages"] = messages_in(traffic.messages, of.system);
    into["collectives"] = collectives_in(traffic.waits.collectives);
    into["waits"] = waits_in(traffic.waits, of.system, names, content.origin);
    into["waits"]["delays"] = delays_in(traffic.delays, names);
    into["efficiencies"] = efficiencies_in(traffic.efficiencies, threads);
    into["critical_path"] = critical_path_in(traffic.critical_path, names);
    const auto contradiction = contradiction_of(traffic.critical_path, traffic.efficiencies);
    into["critical_path"]["contradiction"] = contradiction ? Json(*contradiction) : Json();
}

void put_end(Json& into, const ReportSubject& of, const ReportContent& content) {
    ReportContent::Ended ended = *content.ended;
    into["ties"] = ended.ties;
    Json& crowded = into["crowded_cpus"] = Json::array();
    std::ranges::sort(ended.checks.crowded, {}, &CrowdedCpu::cpu_row);
    for (const CrowdedCpu& cpu : ended.checks.crowded) {
        const std::optional<bool> displace = displace_each_other(of, cpu, content);
        crowded.push_back({{"cpu", (*of.system.cpu_labels())[cpu.cpu_row]},
                           {"times", cpu.times},
                           {"ns", cpu.ns},
                           {"displaced", displace ? Json(*displace) : Json()}});
    }
    Json& oddities = into["oddities"] = Json::object();
    for (size_t kind = 0; kind < Oddities::kinds; ++kind)
        oddities[oddity_names[kind]] = ended.checks.oddities.counts()[kind];
    Json& faults = into["faults"] = Json::array();
    std::ranges::stable_sort(ended.checks.faults, {}, &Fault::thread_row);
    for (const std::string& fault : ended.label_faults)
        faults.push_back({{"stream", Json()}, {"text", fault}});
    for (const Fault& fault : ended.checks.faults)
        faults.push_back({{"stream", path_of_thread(of, fault.thread_row)}, {"text", fault.what}});
}

Json part_in(const std::optional<CutSummary>& part) {
    if (!part) return {};
    return {{"from", part->from == INT64_MIN ? Json() : Json(part->from)},
            {"to", part->to == INT64_MAX ? Json() : Json(part->to)},
            {"begin", part->begin},
            {"streams", part->streams},
            {"of_streams", part->all_streams},
            {"events", part->events}};
}

}  // namespace

Json report_of(const ReportSubject& of, const ReportContent& content) {
    Json report = {{"format", "ovni-mpi report"},
                   {"version", version},
                   {"tool", tool_version()},
                   {"complete", !content.error},
                   {"error", content.error ? Json(*content.error) : Json()},
                   {"trace", trace_of(of, content.duration)},
                   {"part", part_in(content.part)}};
    report["in_short"] = short_report(of, content);
    put_sums(report, of, content);
    report["gaps"] = gaps_in(of, content.gaps);
    report["damages"] = damages_in(content);
    report["ended_by_force"] = ends_by_force(of.trace);
    report["waiting"] = waiting_in(of, content.waiting);
    report["deadlocks"] = content.waiting.circles;
    report["lock_waits"] = open_waits_in(of, content.open_waits);
    report["lock_deadlocks"] = circles_of(of.system, content.open_waits);
    put_traffic(report, of, content);
    report["hybrid"] =
        hybrid_in(hybrid_efficiencies_of(content), content, of.trace, of.system, of.schema.thread);
    report["missing_ranks"] = missing_ranks_of(of.system);
    report["clocks"] = clocks_of(of, content);
    if (content.ended)
        put_end(report, of, content);
    else
        for (const char* name : {"ties", "crowded_cpus", "oddities", "faults"}) report[name] = Json();
    report["warnings"] = content.warnings;
    return report;
}

// Texts of the program may be anything.
void ReportFile::end(const Json& report, Ending ending) {
    output_.write(report.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
    commit(output_, path_, ending);
}

}  // namespace ovni
