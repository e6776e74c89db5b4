#include "mpi/emu/read_trace.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "base/wire.hpp"
#include "mpi/comm/host_names.hpp"
#include "mpi/emu/salvage_events.hpp"
#include "session/check/left_events.hpp"
#include "session/check/trace_check.hpp"
#include "session/gather.hpp"
#include "session/trace_wire.hpp"
#include "trace/stream_files.hpp"

namespace ovni {

namespace {

// Rank 0 prints the warnings of other ranks that it did not print itself.
void print_warnings_of_others(const Comm& comm) {
    std::set<std::string> all = gather_warnings(comm);
    const std::set<std::string> known = log::kept_warnings();
    for (const std::string& text : all)
        if (comm.is_root() && !known.contains(text)) log::warn("{}", text);
}

// A directory that exists but cannot be searched is not absent.
bool is_absent(const std::filesystem::path& directory) {
    std::error_code fault;
    return std::filesystem::status(directory, fault).type() == std::filesystem::file_type::not_found;
}

// Some nodes may have nothing of the trace, but not all.
void warn_about_absent(const Comm& comm, const std::vector<NodePlace>& places, const NodePlace& here) {
    PerRank<int64_t> absent = comm.allgather(int64_t{is_absent(here.directory)});
    auto lacks = [&](const NodePlace& place) {
        return absent[static_cast<size_t>(place.ranks.front())] != 0;
    };
    auto lacking = std::ranges::count_if(places, lacks);
    if (lacking == 0) return;
    const NodePlace& first = *std::ranges::find_if(places, lacks);
    std::string what = fmt::format("is missing on {} of {} nodes, the first is {} (rank {})", lacking,
                                   places.size(), first.host, first.node);
    comm.agree([&] {
        if (static_cast<size_t>(lacking) == places.size()) throw Error(what, first.directory);
    });
    log::warn("{}: {}; nothing is read there", first.directory.string(), what);
}

// Shares are consecutive, so the lowest rank reports what is wrong first in the order of paths.
std::vector<std::string> share_of(const Comm& ranks, const std::vector<std::string>& paths) {
    const auto rank = static_cast<size_t>(ranks.rank()), size = static_cast<size_t>(ranks.size());
    auto bound = [&](size_t r) {
        return paths.begin() + static_cast<std::ptrdiff_t>(r * paths.size() / size);
    };
    return {bound(rank), bound(rank + 1)};
}

// Throws Error if this node does not see one of `paths`, which rank 0 saw. Nodes may have different
// directories of one name.
void expect_shared(const std::filesystem::path& directory, const std::vector<std::string>& paths) {
    std::error_code fault;
    for (const std::string& path : paths)
        if (!std::filesystem::exists(directory / path, fault))
            throw Error(fmt::format("rank 0 sees it, the node {} does not: is the directory shared by all "
                                    "nodes? (for one on every node see --local)",
                                    host_name()),
                        directory / path);
}

// The first rank of this place lists the top of the directory, all there list a share of what is below.
FoundStreams find_here(const Comm& comm, const Comm& ranks_here, const NodePlace& here,
                       const EmulationOptions& options) {
    const bool is_shared = options.storage == Storage::shared;
    std::string packed = comm.agree([&] {
        if (is_shared && comm.is_root()) expect_begun(here.directory);
        if (is_shared) refuse_part_of_trace(here.directory);
        Listing top;
        if (ranks_here.is_root() && (is_shared || !is_absent(here.directory)))
            top = list_top(here.directory, static_cast<size_t>(ranks_here.size()));
        return wire::pack(top);
    });
    const auto top = wire::unpack<Listing>(ranks_here.broadcast(std::move(packed)));
    packed = comm.agree([&] {
        const std::vector<std::string> share = share_of(ranks_here, top.unvisited);
        if (is_shared) expect_shared(here.directory, share);
        return wire::pack(list_trees(here.directory, share));
    });
    const PerRank<std::string> shares = ranks_here.gather(packed);
    packed = comm.agree([&] {
        FoundStreams found;
        if (ranks_here.is_root()) {
            std::vector<Listing> listings = {top};
            for (const std::string& share : shares) listings.push_back(wire::unpack<Listing>(share));
            found = found_in(here.directory, std::move(listings));
        }
        if (options.tolerance == Tolerance::none) expect_metadata(here.directory, found);
        return wire::pack(found);
    });
    return wire::unpack<FoundStreams>(ranks_here.broadcast(std::move(packed)));
}

std::string read_share(const Comm& ranks_here, const EmulationOptions& options, const NodePlace& here,
                       const FoundStreams& found) {
    ReadShare share;
    if (ranks_here.is_root() && options.tolerance == Tolerance::keep_going)
        list_without_metadata(here.directory, found, share.damages);
    for (const std::string& path : share_of(ranks_here, found.streams)) {
        std::optional<Stream> stream =
            options.tolerance == Tolerance::none
                ? read_stream(here.directory, path)
                : salvage_stream(here.directory, path, options.regions, share.damages);
        if (stream) share.streams.push_back(std::move(*stream));
    }
    return wire::pack(share);
}

struct Read {
    PlacedStreams placed;
    std::vector<Damage> damages;
};

Read unpack(PerRank<std::string> shares, size_t expected, const NodePlaces& places,
            const EmulationOptions& options) {
    Read read;
    read.placed.streams.reserve(expected);
    for (int rank = 0; rank < static_cast<int>(shares.size()); ++rank) {
        uint32_t place = place_of_rank(places, rank);
        const std::string packed = std::move(shares[static_cast<size_t>(rank)]);
        ReadShare share = wire::unpack<ReadShare>(packed);
        const bool is_copy = options.part.has_value();
        Stream::Root root;
        if (is_copy || options.storage == Storage::node_local) root = {places.all[place].directory, is_copy};
        const Interned<Stream::Root> of_place(std::move(root));
        for (Stream& stream : share.streams) {
            stream.root = of_place;
            read.placed.streams.push_back(std::move(stream));
        }
        read.placed.places.resize(read.placed.streams.size(), place);
        std::ranges::move(share.damages, std::back_inserter(read.damages));
    }
    return read;
}

// Places that see one directory all list its damages: one of each is kept.
void keep_one_each(std::vector<Damage>& damages) {
    std::ranges::stable_sort(damages, {}, &Damage::relative_path);
    auto repeated = std::ranges::unique(damages, {}, &Damage::relative_path);
    damages.erase(repeated.begin(), repeated.end());
}

}  // namespace

Trace read_trace(const Comm& comm, const EmulationOptions& options, const ClockSources& clocks,
                 NodePlaces& places, std::vector<Damage>& damages) {
    uint32_t mine = place_of_rank(places, comm.rank());
    const NodePlace& here = places.all[mine];
    const bool is_shared = options.storage == Storage::shared;
    Comm ranks_here = comm.split(static_cast<int>(mine));
    if (!is_shared) warn_about_absent(comm, places.all, here);
    FoundStreams found = find_here(comm, ranks_here, here, options);
    std::string share = comm.agree([&] {
        if (is_shared && !found.streams.empty())
            expect_shared(here.directory / found.streams.front(), {metadata_name});
        return read_share(ranks_here, options, here, found);
    });
    if (!is_shared) print_warnings_of_others(comm);
    const size_t expected = found.streams.size();
    found = {};
    PerRank<std::string> shares = comm.allgather(share);
    share = std::string();
    Trace trace = comm.agree([&] {
        Read read = unpack(std::move(shares), expected, places, options);
        damages = std::move(read.damages);
        PlacedStreams placed = std::move(read.placed);
        if (!is_shared) {
            keep_one_each(damages);
            placed = put_together(std::move(placed), places.all, options.tolerance, damages);
        }
        if (options.tolerance == Tolerance::none) {
            places.of_stream = std::move(placed.places);
            return Trace(options.trace, std::move(placed.streams));
        }
        std::map<std::string, uint32_t> place_of_path;
        for (size_t s = 0; s < placed.streams.size(); ++s)
            place_of_path[placed.streams[s].relative_path()] = placed.places[s];
        Trace good = salvaged_trace(options.trace, std::move(placed.streams), options.enabled, damages);
        for (const Stream& stream : good.streams())
            places.of_stream.push_back(place_of_path[stream.relative_path()]);
        return good;
    });
    if (options.tolerance == Tolerance::keep_going)
        salvage_events(comm, trace, places, dry_run_of(options, clocks), damages);
    return trace;
}

ClockSources read_clock_sources(const Comm& comm, const EmulationOptions& options, const NodePlaces& places) {
    std::string found = comm.agree([&]() -> std::string {
        if (!comm.is_root()) return {};
        std::vector<std::filesystem::path> directories = {places.all.front().directory};
        if (options.storage == Storage::node_local) directories.push_back(options.output);
        ClockSources sources = ClockSources::find(options.clock_table, directories);
        if (options.part) sources.name_as_in(options.trace);
        return wire::pack(sources);
    });
    return wire::unpack<ClockSources>(comm.broadcast(std::move(found)));
}

}  // namespace ovni
