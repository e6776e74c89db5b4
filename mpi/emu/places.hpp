// The places of the streams of a trace, and the ranks that can read them. A directory that all nodes share is
// one place that all ranks see; with --local every node has a directory of its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "emu/plan/system.hpp"
#include "mpi/comm/comm.hpp"
#include "session/command/options.hpp"
#include "session/deal/parts.hpp"

namespace ovni {

// Ranks of one node that look into the same directory.
struct NodePlace {
    int node = 0;      // lowest rank on it
    std::string host;  // its name up to the first dot
    std::filesystem::path directory;
    std::vector<int> ranks;
};

struct NodePlaces {
    std::vector<NodePlace> all;       // in order of their lowest ranks, equal on all ranks
    std::vector<uint32_t> of_stream;  // by stream: its place

    int first_rank_of(uint32_t stream) const { return all[of_stream[stream]].ranks.front(); }
};

// Throws Error if ranks of an application have no streams: no rank of this emulation runs on their node, or
// reads their directory. The message names the nodes that appear in clock measurements alone.
void expect_all_ranks(const Trace& trace, const System& system, const ClockModel& clocks);

// Collective. NodePlaces::of_stream is still empty in the result.
NodePlaces find_places(const Comm& comm, const EmulationOptions& options);

// Returns the ranks of the place of a stream. `places` outlives the result.
Readers readers_of(const NodePlaces& places);

// The place of that rank.
uint32_t place_of_rank(const NodePlaces& places, int rank);

// The options with the directory of the trace that rank 0 reads.
EmulationOptions as_seen_by_root(EmulationOptions options);

// Streams, and the place that has each of them.
struct PlacedStreams {
    std::vector<Stream> streams;
    std::vector<uint32_t> places;
};

// The streams of all places, in order of their paths, each in the one place that is to read it. Throws Error
// for two streams with one path, for a loom whose streams lie on several nodes, and for a stream that several
// nodes see but none of them recorded. With Tolerance::keep_going such streams are left out.
PlacedStreams put_together(PlacedStreams all, const std::vector<NodePlace>& places, Tolerance tolerance,
                           std::vector<Damage>& damages);

}  // namespace ovni
