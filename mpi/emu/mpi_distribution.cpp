#include "mpi/emu/mpi_distribution.hpp"

#include "mpi/emu/read_trace.hpp"

namespace ovni {

MpiDistribution::MpiDistribution(const Comm& comm, const EmulationOptions& options)
    : comm_(comm), options_(options), places_(find_places(comm, options)) {}

ClockSources MpiDistribution::read_clock_sources() {
    return ovni::read_clock_sources(comm_, options_, places_);
}

std::shared_ptr<const Trace> MpiDistribution::read_trace(const ClockSources& clocks,
                                                         std::vector<Damage>& damages) {
    return std::make_shared<const Trace>(ovni::read_trace(comm_, options_, clocks, places_, damages));
}

void MpiDistribution::check(const Trace& trace, const System& system, const ClockModel& clocks) const {
    if (options_.storage == Storage::node_local && options_.tolerance == Tolerance::none)
        expect_all_ranks(trace, system, clocks);
}

// The events of such a stream are an error, which the first rank of its place finds.
bool MpiDistribution::reads_stray(uint32_t stream) const {
    return places_.first_rank_of(stream) == comm_.rank();
}

}  // namespace ovni
