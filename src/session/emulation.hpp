// The course of an emulation, for one rank or many: read the trace, replay its events, write the outputs,
// check and report. It is written once; what differs is in Distribution and Ranks.
#pragma once

#include <cstdint>
#include <future>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <vector>

#include "base/file.hpp"
#include "emu/emulator.hpp"
#include "messages/scan/scan.hpp"
#include "session/command/options.hpp"
#include "session/deal/distribution.hpp"
#include "session/replay/window.hpp"
#include "session/report/facts.hpp"
#include "session/report/report.hpp"
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
    const Ranks& ranks() const { return distribution_.ranks(); }
    int emulate();
    int emulate_on_root(const Ranks& team);
    void prepare_outputs();
    std::vector<StreamReader> open_streams(Checksums checksums) const;
    int64_t find_origin(const std::vector<StreamReader>& readers) const;
    Window make_window(std::vector<StreamReader> readers, Emulator& emulator, int64_t origin);
    size_t threads() const;
    void scan();
    void analyse_traffic(int64_t origin);
    std::filesystem::path memory_directory() const;
    void tell_memory_in_files() const;
    void find_calls(int64_t origin);
    bool reads(uint32_t stream) const;
    bool root_reads_all() const;
    OpenStream quiet_reader() const;
    void make_sinks();
    void begin_sinks();
    void replay(Emulator& emulator, Window& window);
    EmulationEnd check_end(Emulator& emulator, const Window& window, Schema& schema);
    EmulationEnd report_checks(Emulator& emulator, const Window& window);
    void tell_waiting(int64_t origin);
    void tell_warnings_of_all();
    void end_sinks(const Window& window, const Schema& schema, Ending ending);
    void tell_cost(const Ranks& team);
    bool needs_report() const;
    bool has_regions() const;
    bool any_needs(bool (Sink::*what)() const) const;
    Facts facts(const Window& window, const Schema& schema) const;
    void tell_efficiency(const ReportContent::TrafficFacts& traffic) const;
    nlohmann::ordered_json make_report(const Window& window, const Schema& schema);

    const EmulationOptions& options_;
    Distribution& distribution_;
    std::vector<Damage> damages_;
    ClockSources clock_sources_;
    std::shared_ptr<const Trace> held_trace_;
    const Trace& trace_;
    System system_;
    ClockModel clocks_;
    Plan plan_;  // with the call sites of the trace
    Work work_;
    Views views_ = Views::left_alone;            // on rank 0
    std::optional<ReportFile> report_file_;      // on rank 0
    std::optional<OutputFile> statistics_file_;  // on rank 0
    Scanned scanned_;
    std::optional<Tallies> tallies_;
    std::optional<TrafficOutput> traffic_;
    TrafficRows rows_;  // if a sink wants them
    std::vector<WaitRow> longest_waits_;
    FoundPlan mpi_plan_;  // if a sink needs calls
    std::optional<PendingCalls> calls_;
    ReportContent content_;
    std::future<Efficiencies> efficiencies_;  // of `content_`
    Writer::Sinks sinks_;
    EmulationCost cost_;
};

}  // namespace ovni
