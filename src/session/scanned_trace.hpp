// The second step of an emulation: all that has to be known of the events before the first one is emulated.
#pragma once

#include <cstdint>
#include <filesystem>
#include <future>
#include <optional>
#include <vector>

#include "messages/analysis.hpp"
#include "messages/plan/mpi_plan.hpp"
#include "messages/scan/scan.hpp"
#include "session/opened_trace.hpp"
#include "session/replay/window.hpp"
#include "session/report/report.hpp"

namespace ovni {

// The needs of outputs, as Sink declares them.
struct ScanNeeds {
    bool traffic = false, calls = false, report = false;
};

class ScannedTrace {
 public:
    // Adds the types of waits to the plan of the trace. Prints what was found of messages. Collective; throws
    // Error. `opened` outlives this.
    ScannedTrace(OpenedTrace& opened, const ScanNeeds& needs, int64_t origin);
    ScannedTrace(const ScannedTrace&) = delete;
    ScannedTrace& operator=(const ScannedTrace&) = delete;

    Scanned found;                                     // except for the ends of messages, which are used up
    std::optional<TrafficOutput> traffic;              // nothing: there are no messages, or they are left out
    std::optional<ReportContent::TrafficFacts> facts;  // of `traffic`, without efficiencies
    std::future<Efficiencies> efficiencies;            // of `traffic`, with ScanNeeds::report
    TrafficRows rows;                                  // with ScanNeeds::traffic
    std::vector<RegionBorder> borders;                 // of `traffic`, of processes of this rank
    std::vector<WaitRow> longest_waits;                // with ScanNeeds::traffic
    FoundPlan mpi;                                     // with ScanNeeds::calls
    std::optional<PendingCalls> calls;                 // if `mpi` has files

 private:
    size_t threads() const;
    bool matches() const;
    Scanned scan(const ScanNeeds& needs) const;
    void analyse_traffic(const ScanNeeds& needs, int64_t origin);
    void find_calls(int64_t origin);
    std::filesystem::path memory_directory() const;
    void report_memory_in_files() const;

    OpenedTrace& opened_;
};

}  // namespace ovni
