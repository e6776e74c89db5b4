// The course of an emulation, for one rank or many, in steps: OpenedTrace, ScannedTrace, PlayedTrace, and the
// end: check, complete the outputs, report. It is written once; what differs is in Distribution and Ranks.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "base/file.hpp"
#include "session/check/end_checks.hpp"
#include "session/opened_trace.hpp"
#include "session/played_trace.hpp"
#include "session/report/facts.hpp"
#include "session/report/report.hpp"
#include "session/scanned_trace.hpp"
#include "session/statistics.hpp"
#include "sink/paraver/cfg.hpp"
#include "sink/writer.hpp"

namespace ovni {

class Emulation {
 public:
    // Reads the metadata of the trace. `options` and `distribution` outlive the emulation. Collective, as
    // run(); both throw Error.
    Emulation(const EmulationOptions& options, Distribution& distribution);
    // The exit status, alike on all ranks.
    int run();

 private:
    const Ranks& ranks() const { return opened_.ranks(); }
    int emulate();
    int emulate_on_root(const Ranks& team);
    void make_sinks();
    void prepare_outputs();
    void begin_sinks(const ScannedTrace& scanned);
    EmulationEnd check_end(const ScannedTrace& scanned, PlayedTrace& played);
    EmulationEnd report_checks(PlayedTrace& played);
    void report_waiting(const ScannedTrace& scanned, int64_t origin);
    void print_warnings_of_all();
    void end_sinks(ScannedTrace& scanned, PlayedTrace& played);
    void report_cost(const Ranks& team);
    bool needs_report() const;
    bool needs_tallies() const;
    bool any_needs(bool (Sink::*what)() const) const;
    Facts facts(const Window& window) const;
    void print_efficiency(const ReportContent::TrafficFacts& traffic) const;
    void print_hybrid() const;
    nlohmann::ordered_json make_report(ScannedTrace& scanned, const Window& window);

    OpenedTrace opened_;
    const EmulationOptions& options_;
    Views views_ = Views::left_alone;            // on rank 0
    std::optional<ReportFile> report_file_;      // on rank 0
    std::optional<OutputFile> statistics_file_;  // on rank 0
    ReportContent content_;
    Writer::Sinks sinks_;
    EmulationCost cost_;
};

}  // namespace ovni
