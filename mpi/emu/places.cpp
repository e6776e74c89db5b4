#include "mpi/emu/places.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "base/directory_pattern.hpp"
#include "base/error.hpp"
#include "emu/plan/worlds.hpp"
#include "mpi/comm/host_names.hpp"
#include "trace/stream_files.hpp"

namespace ovni {

namespace {

std::string short_host_name() {
    std::string name = host_name();
    return name.substr(0, name.find('.'));
}

std::string name_of(const NodePlace& place) {
    return fmt::format("{} (rank {})", place.host, place.node);
}

// A stream as one place has it.
struct PlacedStream {
    std::string path;
    Stream stream;
    uint32_t place = 0;
};

Error error_of(const PlacedStream& stream, const std::string& what) {
    return Error(what, file_in(directory_of(stream.stream, {}), metadata_name));
}

// Looks at streams in order of their paths, and remembers where looms are.
class Settlement {
 public:
    explicit Settlement(const std::vector<NodePlace>& places) : places_(places) {}

    // `seen`: one stream as one or more places have it. Returns the one that reads it.
    const PlacedStream& choose(std::span<const PlacedStream> seen) {
        const StreamMetadata& metadata = seen.front().stream.metadata;
        const PlacedStream& chosen = seen.size() == 1 ? seen.front() : own_of(seen, host_of(metadata));
        expect_one_node(chosen, metadata.common->loom);
        return chosen;
    }

 private:
    const PlacedStream& own_of(std::span<const PlacedStream> seen, const std::string& host) const {
        const PlacedStream& first = seen.front();
        for (const PlacedStream& other : seen)
            if (!(other.stream.metadata == first.stream.metadata) || other.stream.bytes != first.stream.bytes)
                throw error_of(other,
                               fmt::format("another stream of that name is on the node {}: do two nodes have "
                                           "one name, or are these parts of two runs?",
                                           name_of(places_[first.place])));
        for (const PlacedStream& own : seen)
            if (places_[own.place].host == host) return own;
        throw error_of(first, fmt::format("{} nodes see it, but none of them is its own, {}: no rank is on "
                                          "that node (without --local, any ranks emulate all of a directory "
                                          "that all nodes share)",
                                          seen.size(), host));
    }

    void expect_one_node(const PlacedStream& stream, const std::string& loom) {
        uint32_t first = looms_.try_emplace(loom, stream.place).first->second;
        if (places_[first].node == places_[stream.place].node) return;
        throw error_of(stream, fmt::format("its loom {} is on the node {}, too: do two nodes have one name?",
                                           loom, name_of(places_[first])));
    }

    const std::vector<NodePlace>& places_;
    std::map<std::string, uint32_t> looms_;  // by name: the place of the first stream
};

}  // namespace

EmulationOptions as_seen_by_root(EmulationOptions options) {
    if (options.storage == Storage::node_local)
        options.trace = filled_in("--local", options.trace, host_name(), "0");
    return options;
}

NodePlaces find_places(const Comm& comm, const EmulationOptions& options) {
    NodePlaces places;
    if (options.storage == Storage::shared) {
        NodePlace& place = places.all.emplace_back(NodePlace{0, "", options.files(), {}});
        place.ranks.resize(static_cast<size_t>(comm.size()));
        std::iota(place.ranks.begin(), place.ranks.end(), 0);
        return places;
    }
    std::string host = short_host_name();
    std::string directory = comm.agree([&] {
        return std::filesystem::absolute(
                   filled_in("--local", options.trace, host, std::to_string(comm.rank())))
            .string();
    });
    PerRank<int> nodes = comm.allgather(comm.split_by_node().broadcast(comm.rank()));
    PerRank<std::string> hosts = comm.allgather(host), directories = comm.allgather(directory);
    for (int rank = 0; rank < comm.size(); ++rank) {
        auto r = static_cast<size_t>(rank);
        auto is_place = [&](const NodePlace& p) {
            return p.node == nodes[r] && p.directory == directories[r];
        };
        auto known = std::ranges::find_if(places.all, is_place);
        if (known == places.all.end())
            known = places.all.insert(known, NodePlace{nodes[r], hosts[r], directories[r], {}});
        known->ranks.push_back(rank);
    }
    return places;
}

void expect_all_ranks(const Trace& trace, const System& system, const ClockModel& clocks) {
    std::vector<MissingRanks> missing = missing_ranks(system);
    if (missing.empty()) return;
    const MissingRanks& first = missing.front();
    std::set<std::string> present = clocks.hosts_of(trace), nodes;
    for (const Stream& stream : trace.streams())
        if (!stream.metadata.process->clock->points.empty())
            nodes.insert(stream.metadata.process->clock->reference);
    nodes.merge(clocks.hosts());
    std::erase_if(nodes, [&](const std::string& node) { return present.contains(node); });
    throw Error(
        fmt::format("{} of the {} ranks of application {} are in no directory that this emulation reads{}; "
                    "the first is rank {} (--keep-going emulates what is there)",
                    first.missing, first.ranks, first.application,
                    nodes.empty() ? "" : fmt::format(" (nodes: {})", fmt::join(nodes, ", ")), first.first),
        trace.directory());
}

Readers readers_of(const NodePlaces& places) {
    return [&](uint32_t stream) -> const std::vector<int>& {
        return places.all[places.of_stream[stream]].ranks;
    };
}

uint32_t place_of_rank(const NodePlaces& places, int rank) {
    auto has_it = [&](const NodePlace& place) { return std::ranges::binary_search(place.ranks, rank); };
    return static_cast<uint32_t>(std::ranges::find_if(places.all, has_it) - places.all.begin());
}

PlacedStreams put_together(PlacedStreams all, const std::vector<NodePlace>& places, Tolerance tolerance,
                           std::vector<Damage>& damages) {
    std::vector<PlacedStream> streams;
    for (size_t i = 0; i < all.streams.size(); ++i)
        streams.push_back({all.streams[i].relative_path(), std::move(all.streams[i]), all.places[i]});
    std::ranges::stable_sort(streams, {}, &PlacedStream::path);
    PlacedStreams chosen;
    Settlement settlement(places);
    for (std::span<const PlacedStream> left = streams; !left.empty();) {
        auto end =
            std::ranges::find_if(left, [&](const PlacedStream& s) { return s.path != left.front().path; });
        std::span<const PlacedStream> seen(left.begin(), end);
        left = left.subspan(seen.size());
        try {
            const PlacedStream& one = settlement.choose(seen);
            chosen.streams.push_back(one.stream);
            chosen.places.push_back(one.place);
        } catch (const Error& e) {
            if (tolerance == Tolerance::none) throw;
            damages.push_back({seen.front().path, e.what(), {}});
        }
    }
    return chosen;
}

}  // namespace ovni
