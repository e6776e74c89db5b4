// The first step of an emulation: the trace is open. Its metadata, the correction of its clocks, and the part
// that this rank reads are known.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "emu/plan/plan.hpp"
#include "emu/plan/start.hpp"
#include "emu/plan/system.hpp"
#include "session/command/options.hpp"
#include "session/deal/distribution.hpp"
#include "session/deal/parts.hpp"

namespace ovni {

struct OpenedTrace {
    // Reads the metadata. `options` and `distribution` outlive this. Collective and throws Error, as do all
    // functions that ask other ranks.
    OpenedTrace(const EmulationOptions& options, Distribution& distribution);
    OpenedTrace(const OpenedTrace&) = delete;
    OpenedTrace& operator=(const OpenedTrace&) = delete;

    const Ranks& ranks() const { return distribution.ranks(); }
    // True if this rank reads the stream.
    bool reads(uint32_t stream) const;
    // True if rank 0 reads all streams, and the others none. Collective; alike on all ranks.
    bool root_reads_all() const;
    // From now on rank 0 has all the work; call it there.
    void go_on_alone();
    // Readers of all streams that this rank reads.
    std::vector<StreamReader> open_streams(Checksums checksums) const;
    // Opens streams once more, without warnings about them, as these were printed before. This outlives the
    // result.
    OpenStream quiet_reader() const;
    // The origin of time; `readers`: of open_streams(). Collective; alike on all ranks.
    int64_t find_origin(const std::vector<StreamReader>& readers) const;

    const EmulationOptions& options;
    Distribution& distribution;
    std::vector<Damage> damages;
    const ClockSources clock_sources;
    const std::shared_ptr<const Trace> held_trace;
    const Trace& trace;
    const System system;
    const ClockModel clocks;
    Plan plan;  // with the call sites of the trace; scan_trace() adds types to its schema
    Share share;
};

}  // namespace ovni
