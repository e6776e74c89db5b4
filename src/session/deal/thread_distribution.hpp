// An emulation in one process: the trace is read once, for all ranks, each a thread or the process itself.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "session/command/options.hpp"
#include "session/deal/distribution.hpp"

namespace ovni {

struct TraceInMemory {
    ClockSources clocks;
    std::shared_ptr<const Trace> trace;
    std::vector<Damage> damages;
};

// Throws Error.
TraceInMemory read_trace(const EmulationOptions& options);

// The number of threads that emulate the trace fastest. Each needs a process, two cores, and enough events to
// make up for the cost of working together. `asked`, if given, is used instead, but never more than
// processes.
int threads_for(const Trace& trace, std::optional<int> asked);

class ThreadDistribution : public Distribution {
 public:
    // Both outlive the distribution.
    ThreadDistribution(const Ranks& team, const TraceInMemory& whole) : team_(team), whole_(whole) {}

    ClockSources read_clock_sources() override { return whole_.clocks; }
    std::shared_ptr<const Trace> read_trace(const ClockSources& clocks,
                                            std::vector<Damage>& damages) override;
    Readers readers() const override { return all_ranks(ranks().size()); }
    // The events of such a stream are an error, which one rank finds.
    bool reads_stray(uint32_t /*stream*/) const override { return ranks().is_root(); }

 private:
    const Ranks& team() const override { return team_; }
    int ranks_of_node() const override { return ranks().size(); }

    const Ranks& team_;
    const TraceInMemory& whole_;
};

}  // namespace ovni
