// An emulation in many processes: parts of the trace are dealt to ranks that see their streams.
#pragma once

#include <memory>
#include <vector>

#include "mpi/comm/comm.hpp"
#include "mpi/emu/places.hpp"
#include "session/command/options.hpp"
#include "session/deal/distribution.hpp"

namespace ovni {

class MpiDistribution : public Distribution {
 public:
    // Collective.
    MpiDistribution(const Comm& comm, const EmulationOptions& options);

    ClockSources read_clock_sources() override;
    std::shared_ptr<const Trace> read_trace(const ClockSources& clocks,
                                            std::vector<Damage>& damages) override;
    void check(const Trace& trace, const System& system, const ClockModel& clocks) const override;
    Readers readers() const override { return readers_of(places_); }
    bool reads_stray(uint32_t stream) const override;

 private:
    const Ranks& team() const override { return comm_; }
    int ranks_of_node() const override { return comm_.split_by_node().size(); }

    const Comm& comm_;
    const EmulationOptions& options_;
    NodePlaces places_;
};

}  // namespace ovni
