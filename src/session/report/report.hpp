// --report: a summary of a trace as one JSON document, which ovniemu --help report describes. ovniemu and any
// number of ranks write equal bytes: each rank adds what it knows of its own looms, in any order.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "cut/cut_writer.hpp"
#include "emu/records/schema.hpp"
#include "messages/analysis.hpp"
#include "messages/hybrid/hybrid_efficiency.hpp"
#include "messages/hybrid/thread_uses.hpp"
#include "messages/stuck/open_waits.hpp"
#include "messages/stuck/waiting.hpp"
#include "session/check/end_checks.hpp"
#include "session/report/event_tally.hpp"
#include "session/report/facts.hpp"
#include "session/report/state_times.hpp"
#include "sink/sink.hpp"
#include "source/code_lines.hpp"
#include "trace/salvage.hpp"

namespace ovni {

// Collected while looms are emulated.
struct Tallies {
    // `borders`, `origin`: see ThreadUses.
    Tallies(const System& system, const Plan& plan, std::vector<RegionBorder> borders, int64_t origin)
        : events(system, plan), states(system, plan) {
        if (has_several_threads(system)) uses.emplace(system, std::move(borders), origin);
    }
    EventTally events;
    StateTimes states;
    std::optional<ThreadUses> uses;  // if a process has several threads

    // Records of some looms, in order.
    void take(std::span<const Record> records) {
        states.take(records);
        if (uses) uses->take(records);
    }
    void finish(int64_t duration) {
        states.finish(duration);
        if (uses) uses->finish(duration);
    }
};

// The content that does not come from metadata, of all looms.
struct ReportContent {
    std::vector<EventCount> events;
    std::vector<MpiCount> mpi;
    std::vector<ComputingCount> computing;
    std::vector<CounterCount> counters;
    std::vector<LockCount> locks;
    std::set<LabelCode> code_of_labels;
    CodeLines lines;  // of code that locks and labels have; on rank 0
    std::vector<RegionCount> regions;
    std::vector<StateTime> states;
    ThreadUseFacts uses;
    std::vector<GapFact> gaps;                   // sorted
    std::optional<std::vector<Damage>> damages;  // what was left out, if that was asked for
    Waiting waiting;                             // calls that are open at the end, in times of the trace
    std::vector<OpenWait> open_waits;            // waits in POSIX threads that are open at the end
    struct TrafficFacts {
        MessageSummary messages;
        WaitSummary waits;
        Efficiencies efficiencies;
        CriticalPath critical_path;
        std::vector<DelayCost> delays;
    };
    std::optional<TrafficFacts> traffic;  // between processes, if the trace has any
    std::optional<CutSummary> part;       // nothing: the whole trace
    std::set<std::string> warnings;
    int64_t origin = 0, duration = 0;
    std::optional<std::string> error;  // why the emulation is not complete
    // Known if no event was wrong.
    struct Ended {
        uint64_t ties = 0;
        EndChecks checks;
        std::vector<std::string> label_faults;
    };
    std::optional<Ended> ended;
};

// The description of the trace, with all labels in `schema`.
struct ReportSubject {
    const Trace& trace;
    const System& system;
    const Plan& plan;
    const ClockModel& clocks;
    const Schema& schema;
};

nlohmann::ordered_json report_of(const ReportSubject& of, const ReportContent& content);

// Made before there is any content: if it cannot be written, nothing else is done. Throws Error.
class ReportFile {
 public:
    explicit ReportFile(std::filesystem::path path) : path_(std::move(path)), output_(path_) {}
    void end(const nlohmann::ordered_json& report, Ending ending);

 private:
    std::filesystem::path path_;
    OutputFile output_;
};

}  // namespace ovni
