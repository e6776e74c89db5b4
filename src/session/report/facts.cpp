#include "session/report/facts.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "emu/plan/worlds.hpp"
#include "ovni/mpi_events.h"
#include "session/check/end_checks.hpp"
#include "trace/gaps.hpp"
#include "trace/run_vote.hpp"

namespace ovni {

namespace {

using Numbers = std::vector<int64_t>;
using Texts = std::vector<std::string>;
constexpr int64_t none = -1;

template <class Items, class Value>
auto column_of(const Items& items, Value value) {
    std::vector<std::remove_cvref_t<decltype(value(*items.begin(), size_t{}))>> values;
    size_t row = 0;
    for (const auto& item : items) values.push_back(value(item, row++));
    return values;
}

template <class Items, class Value>
TableColumn numbers(const char* name, const char* about, const Items& items, Value value) {
    return {name, about, column_of(items, [&](const auto& item, size_t row) -> int64_t {
                if constexpr (std::is_invocable_v<Value, decltype(item), size_t>)
                    return static_cast<int64_t>(value(item, row));
                else
                    return static_cast<int64_t>(value(item));
            })};
}
template <class Items, class Value>
TableColumn texts(const char* name, const char* about, const Items& items, Value value) {
    return {name, about,
            column_of(items, [&](const auto& item, size_t) { return std::string(value(item)); })};
}
template <class Items>
TableColumn row_numbers(const Items& items) {
    return numbers("row", "from 0", items, [](const auto&, size_t row) { return row; });
}

Table threads_of(const Trace& trace, const System& system) {
    const auto& threads = system.threads();
    auto process = [&](const ThreadInfo& thread) -> const ProcessInfo& {
        return system.processes()[thread.process];
    };
    return {"rows/threads",
            "threads: rows of thread.prv, and what the column `thread` counts",
            {row_numbers(threads),
             texts("label", "as in thread.row", system.thread_labels()->all(), std::identity()),
             numbers("tid", "number of the operating system", threads, [](const auto& t) { return t.tid; }),
             numbers("process", "row in rows/processes", threads, [](const auto& t) { return t.process; }),
             numbers("pid", "of the process", threads, [&](const auto& t) { return process(t).pid; }),
             numbers("rank", "in MPI_COMM_WORLD, -1: none", threads,
                     [&](const auto& t) { return process(t).rank.value_or(none); }),
             numbers("loom", "row in rows/looms", threads, [](const auto& t) { return t.loom; }),
             texts("stream", "path in the trace", threads,
                   [&](const auto& t) { return trace.streams()[t.stream].relative_path(); })}};
}

Table processes_of(const System& system) {
    const auto& processes = system.processes();
    return {"rows/processes",
            "processes",
            {row_numbers(processes),
             numbers("pid", "number of the operating system", processes, [](const auto& p) { return p.pid; }),
             numbers("app", "number of the application, from 1", processes,
                     [](const auto& p) { return p.app_id; }),
             numbers("rank", "in MPI_COMM_WORLD, -1: none", processes,
                     [](const auto& p) { return p.rank.value_or(none); }),
             numbers("ranks", "in MPI_COMM_WORLD, -1: none", processes,
                     [](const auto& p) { return p.nranks.value_or(none); }),
             numbers("loom", "row in rows/looms", processes, [](const auto& p) { return p.loom; }),
             numbers("first_thread", "row in rows/threads", processes,
                     [](const auto& p) { return p.first_thread; }),
             numbers("threads", "how many", processes, [](const auto& p) { return p.thread_count; })}};
}

Table looms_of(const Trace& trace, const System& system) {
    const auto& looms = system.looms();
    auto host = [&](const LoomInfo& loom) {
        uint32_t thread = system.processes()[loom.first_process].first_thread;
        return host_of(trace.streams()[system.threads()[thread].stream].metadata);
    };
    return {"rows/looms",
            "looms: sets of CPUs of a node",
            {row_numbers(looms), texts("name", "", looms, [](const auto& l) { return l.name; }),
             texts("host", "the node", looms, host),
             numbers("first_cpu", "row in rows/cpus", looms, [](const auto& l) { return l.first_cpu; }),
             numbers("cpus", "how many, with the virtual one", looms,
                     [](const auto& l) { return l.cpu_count; })}};
}

Table cpus_of(const System& system) {
    const auto& cpus = system.cpus();
    return {
        "rows/cpus",
        "CPUs: rows of cpu.prv, and what the column `cpu` counts",
        {row_numbers(cpus), texts("label", "as in cpu.row", system.cpu_labels()->all(), std::identity()),
         numbers("loom", "row in rows/looms", cpus, [](const auto& c) { return c.loom; }),
         numbers("index", "in the loom, -1: the virtual CPU", cpus, [](const auto& c) { return c.index; }),
         numbers("number", "of the operating system, -1: the virtual CPU", cpus,
                 [](const auto& c) { return c.phyid; })}};
}

Table marks_of(const Trace& trace) {
    std::map<int, const MarkType*> types;
    for (const Stream& stream : trace.streams())
        for (const MarkType& mark : *stream.metadata.common->marks) types.emplace(mark.type, &mark);
    constexpr const char* kinds[] = {"single", "stack", "punctual"};
    return {
        "marks",
        "types of marks of the program",
        {numbers("mark", "number of the program", types, [](const auto& m) { return m.first; }),
         numbers("type", "channel type", types, [](const auto& m) { return prv_type::first_mark + m.first; }),
         texts("title", "", types, [](const auto& m) { return m.second->title; }),
         texts("kind", "single, stack or punctual", types,
               [&](const auto& m) { return kinds[static_cast<size_t>(m.second->kind)]; })}};
}

Table call_sites_of(const CallSites& sites) {
    struct Row {
        size_t site, level;
        CallSites::Caller caller;
    };
    std::vector<Row> rows;
    for (size_t site = 0; site < sites.chains().size(); ++site)
        for (size_t i = 0; i < sites.chains()[site].size(); ++i)
            rows.push_back({site + 1, i + 1, sites.chains()[site][i]});
    return {
        "call_sites",
        "places of the program that call MPI: values of channel type 300",
        {numbers("site", "the value", rows, [](const auto& r) { return r.site; }),
         numbers("level", "1: the caller of MPI, 2: its caller, ...", rows,
                 [](const auto& r) { return r.level; }),
         texts("function", "", rows, [&](const auto& r) { return sites.functions()[r.caller.function - 1]; }),
         texts("line", "file:line, or file+address", rows,
               [&](const auto& r) { return sites.lines()[r.caller.line - 1]; })}};
}

Table table_of_clocks(const Trace& trace, const ClockModel& clocks, int64_t origin, int64_t duration) {
    std::set<std::string> hosts = clocks.hosts_of(trace);
    // The amount added to the raw clock of a corrected `time`; exact except for the drift within the offset.
    auto offset = [&](const std::string& host, int64_t time) {
        const ClockLine& line = clocks.of_host(host);
        int64_t raw = time - (line.corrected(time) - time);
        return line.corrected(raw) - raw;
    };
    return {"clocks",
            "what was added to the clocks of nodes",
            {texts("host", "", hosts, [](const auto& h) { return h; }),
             numbers("known", "1: measured or given, 0: taken to need no correction", hosts,
                     [&](const auto& h) { return clocks.has_entry(h); }),
             numbers("offset_begin", "ns, at the first event", hosts,
                     [&](const auto& h) { return offset(h, origin); }),
             numbers("offset_end", "ns, at the last event", hosts,
                     [&](const auto& h) { return offset(h, origin + duration); })}};
}

Table measured_points(const Trace& trace) {
    struct Point {
        const Stream* stream;
        const ClockMeasurement* measured;
    };
    std::vector<Point> points;
    for (const Stream& stream : trace.streams())
        for (const ClockMeasurement& point : stream.metadata.process->clock->points)
            points.push_back({&stream, &point});
    return {"clock_points",
            "what the program measured of the clocks of its nodes, in ns",
            {texts("host", "", points, [](const auto& p) { return host_of(p.stream->metadata); }),
             texts("reference", "the host that it was compared with", points,
                   [](const auto& p) { return p.stream->metadata.process->clock->reference; }),
             numbers("local", "raw clock of the host", points,
                     [](const auto& p) { return p.measured->point.local; }),
             numbers("offset", "to be added", points, [](const auto& p) { return p.measured->point.offset; }),
             numbers("low", "it is not less", points, [](const auto& p) { return p.measured->low; }),
             numbers("high", "it is not more", points, [](const auto& p) { return p.measured->high; })}};
}

Table table_of(const std::vector<GapFact>& gaps) {
    return {"gaps",
            "where a thread has no events although it went on",
            {numbers("thread", "row in rows/threads", gaps, [](const auto& g) { return g.thread_row; }),
             numbers("from", "ns since the first event, 0: before it", gaps,
                     [](const auto& g) { return g.from; }),
             numbers("to", "ns since the first event, -1: the end of its stream", gaps,
                     [](const auto& g) { return g.to; }),
             numbers("lost", "events", gaps, [](const auto& g) { return g.lost; }),
             texts("reason", "", gaps, [](const auto& g) { return g.reason; })}};
}

Table table_of(const std::vector<Damage>& damages) {
    return {"damages",
            "what --keep-going left out",
            {texts("stream", "path in the trace; none: ranks that have none", damages,
                   [](const auto& d) { return d.relative_path; }),
             texts("cause", "", damages, [](const auto& d) { return d.cause; }),
             numbers("good_bytes", "of its stream.obs, -1: the stream is left out", damages,
                     [](const auto& d) { return d.end ? static_cast<int64_t>(*d.end) : none; })}};
}

Table table_of(const std::vector<MissingRanks>& all) {
    return {"missing_ranks",
            "ranks that have no streams",
            {numbers("application", "", all, [](const auto& m) { return m.application; }),
             numbers("missing", "how many", all, [](const auto& m) { return m.missing; }),
             numbers("ranks", "that it has", all, [](const auto& m) { return m.ranks; }),
             numbers("first", "of the missing", all, [](const auto& m) { return m.first; })}};
}

Table table_of_forced_ends(const Trace& trace) {
    std::vector<const Stream*> ended;
    for (const Stream& stream : trace.streams())
        if (stream.metadata.end) ended.push_back(&stream);
    return {
        "ended_by_force",
        "streams that their program did not end",
        {texts("stream", "path in the trace", ended, [](const auto* s) { return s->relative_path(); }),
         texts("by", "signal, exit, loss, ...", ended, [](const auto* s) { return *s->metadata.end->by; }),
         numbers("code", "of the signal or the exit", ended,
                 [](const auto* s) { return s->metadata.end->code; }),
         numbers("clock", "raw, of the end; -1: not known", ended,
                 [](const auto* s) { return s->metadata.end->clock.value_or(-1); })}};
}

std::string joined_words(const std::set<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

}  // namespace

std::optional<std::string> run_of(const Trace& trace) {
    const RunVote vote(trace.streams());
    for (const Stream& stream : trace.streams())
        if (vote.counts(stream.metadata)) return stream.metadata.common->run;
    return std::nullopt;
}

std::vector<std::string> commands_of(const Trace& trace) {
    constexpr size_t most = 100;
    std::map<std::string, size_t> streams;
    for (const Stream& stream : trace.streams())
        if (!stream.metadata.common->command.empty()) ++streams[stream.metadata.common->command];
    std::vector<std::pair<std::string, size_t>> sorted(streams.begin(), streams.end());
    std::ranges::stable_sort(sorted, std::greater(), [](const auto& command) { return command.second; });
    if (sorted.size() > most) sorted.resize(most);
    std::vector<std::string> commands;
    for (auto& [command, number] : sorted) commands.push_back(std::move(command));
    return commands;
}

std::set<std::string> writers_of(const Trace& trace) {
    std::set<std::string> versions;
    for (const Stream& stream : trace.streams())
        if (stream.metadata.common->lib_version) versions.insert(*stream.metadata.common->lib_version);
    return versions;
}

void sort(std::vector<GapFact>& gaps) {
    std::ranges::stable_sort(gaps, {}, [](const GapFact& g) { return std::pair(g.thread_row, g.from); });
}

std::vector<GapFact> gaps_of(const Trace& trace, const System& system, const ClockModel& clocks,
                             int64_t origin, const std::vector<bool>& mine) {
    std::vector<GapFact> facts;
    for (uint32_t s = 0; s < trace.streams().size(); ++s) {
        uint32_t thread = system.thread_of_stream(s);
        if (thread == System::no_thread || !mine[system.threads()[thread].process]) continue;
        if (!trace.streams()[s].is_readable()) continue;
        const ClockLine& clock = clocks.of_stream(trace.streams()[s].metadata);
        auto time = [&](int64_t raw) { return std::max(clock.corrected(raw), origin) - origin; };
        for (Gap& gap : read_gaps(trace.files_of(s))) {
            bool is_open = gap.to == std::numeric_limits<int64_t>::max();
            facts.push_back({thread, time(gap.from), is_open ? GapFact::open : time(gap.to), gap.lost,
                             std::move(gap.reason)});
        }
    }
    sort(facts);
    return facts;
}

Facts facts_of(const Trace& trace, const System& system, const Plan& plan, const ClockModel& clocks,
               const std::string& tool, int64_t origin, int64_t duration, const std::vector<GapFact>& gaps,
               const std::optional<std::vector<Damage>>& damages) {
    std::string models;
    for (const ModelPlan& model : plan.models)
        models += (models.empty() ? "" : ", ") + std::string(model.spec->name) + " " +
                  std::string(model.spec->version);
    Facts facts;
    facts.words = {{"tool", tool},
                   {"run", run_of(trace).value_or("")},
                   {"libovni", joined_words(writers_of(trace))},
                   {"models", models}};
    facts.tables = {threads_of(trace, system),
                    processes_of(system),
                    looms_of(trace, system),
                    cpus_of(system),
                    marks_of(trace),
                    call_sites_of(plan.call_sites),
                    table_of_clocks(trace, clocks, origin, duration),
                    measured_points(trace),
                    table_of(gaps),
                    table_of(damages.value_or(std::vector<Damage>())),
                    table_of(missing_ranks(system)),
                    table_of_forced_ends(trace)};
    if (damages) facts.words.emplace_back("tolerance", "keep-going");
    return facts;
}

Table regions_table(const std::vector<RegionCount>& regions, const Schema& schema) {
    std::map<int64_t, std::string> names;
    for (const EventType& type : schema.thread.types)
        if (type.type == prv_type::first_mark + OVNI_MPI_REGION_MARK)
            for (const auto& [value, label] : type.labels.all()) names.emplace(value, label);
    const auto name_of = [&](const RegionCount& count) {
        const auto known = names.find(count.region);
        return known == names.end() ? fmt::format("{}", count.region) : known->second;
    };
    return {
        "regions",
        "regions of MPI_Pcontrol: sums over the threads of each process, as ovnitop --regions prints them",
        {numbers("process", "row in rows/processes", regions, [](const auto& r) { return r.process; }),
         texts("region", "name", regions, name_of),
         numbers("value", "of the region in its channel", regions, [](const auto& r) { return r.region; }),
         numbers("visits", "how often it was entered", regions, [](const auto& r) { return r.sums.visits; }),
         numbers("inclusive", "ns in it", regions, [](const auto& r) { return r.sums.inclusive.number(); }),
         numbers("exclusive", "ns in it, but not in regions that were entered inside", regions,
                 [](const auto& r) { return r.sums.exclusive.number(); })}};
}

}  // namespace ovni
