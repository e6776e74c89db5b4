#include "mpi/emu/mpi_distribution.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "mpi/emu/partition.hpp"
#include "mpi/emu/read_trace.hpp"
#include "mpi/emu/tie_exchange.hpp"

namespace ovni {

MpiDistribution::MpiDistribution(const Comm& comm, const EmulationOptions& options)
    : Distribution(options),
      comm_(comm),
      places_(find_places(comm, options)),
      exchange_(comm, options.breakdowns) {}

ClockSources MpiDistribution::read_clock_sources() {
    return ovni::read_clock_sources(comm_, options_, places_);
}

Trace MpiDistribution::read_trace(const ClockSources& clocks, std::vector<Damage>& damages) {
    return ovni::read_trace(comm_, options_, clocks, places_, damages);
}

void MpiDistribution::check(const Trace& trace, const System& system, const ClockModel& clocks) const {
    if (options_.storage == Storage::node_local && options_.tolerance == Tolerance::none)
        expect_all_ranks(trace, system, clocks);
}

std::vector<bool> MpiDistribution::my_looms(const Trace& trace, const System& system) const {
    std::vector<bool> mine;
    for (int rank : deal_looms(trace, system, places_, comm_.size())) mine.push_back(rank == comm_.rank());
    return mine;
}

// The events of such a stream are an error, which the first rank of its place finds.
bool MpiDistribution::reads_stray(uint32_t stream) const {
    return places_.first_rank_of(stream) == comm_.rank();
}

std::unique_ptr<TieRounds> MpiDistribution::tie_rounds(const Open& open, size_t streams) {
    return std::make_unique<TieExchange>(comm_, comm_.agree(open), streams);
}

void MpiDistribution::exchange(Stretch& made, Stretch& slice) {
    exchange_.to_slices(made, slice);
}

// Small enough to stay in the cache while records are exchanged. Tests use other sizes.
size_t MpiDistribution::window_size() const {
    if (const char* text = std::getenv("OVNI_TEST_WINDOW")) return std::strtoul(text, nullptr, 10);
    return comm_.size() == 1 ? Distribution::window_size() : size_t{32} << 10;
}

// A thread if the ranks of this node leave a core free for each of them. Tests choose it.
Writer::Mode MpiDistribution::writer_mode() const {
    int ranks_here = comm_.split_by_node().size();
    if (const char* text = std::getenv("OVNI_TEST_WRITER"))
        return text == std::string_view("thread") ? Writer::Mode::own_thread : Writer::Mode::at_once;
    return Writer::best_mode(ranks_here);
}

}  // namespace ovni
