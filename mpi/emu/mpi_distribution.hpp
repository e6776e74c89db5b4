// An emulation on many ranks: looms are dealt to ranks where their streams are, and what ranks have made is
// exchanged by time.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "mpi/comm/comm.hpp"
#include "mpi/emu/exchange.hpp"
#include "mpi/emu/places.hpp"
#include "session/distribution.hpp"

namespace ovni {

class MpiDistribution : public Distribution {
 public:
    // Collective.
    MpiDistribution(const Comm& comm, const EmulationOptions& options);

    const Ranks& ranks() const override { return comm_; }
    ClockSources read_clock_sources() override;
    Trace read_trace(const ClockSources& clocks, std::vector<Damage>& damages) override;
    void check(const Trace& trace, const System& system, const ClockModel& clocks) const override;
    std::vector<bool> my_looms(const Trace& trace, const System& system) const override;
    bool reads_stray(uint32_t stream) const override;
    std::unique_ptr<TieRounds> tie_rounds(const Open& open, size_t streams) override;
    void exchange(Stretch& made, Stretch& slice) override;
    size_t window_size() const override;
    Writer::Mode writer_mode() const override;

 private:
    const Comm& comm_;
    Places places_;
    Exchange exchange_;
};

}  // namespace ovni
