#include "mpi/emu/read_trace.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "base/wire.hpp"
#include "mpi/comm/host_names.hpp"
#include "mpi/emu/salvage_events.hpp"
#include "session/gather.hpp"
#include "session/left_events.hpp"
#include "session/trace_check.hpp"
#include "session/trace_wire.hpp"
#include "trace/stream_files.hpp"

namespace ovni {

namespace {

// Rank 0 prints what others were warned of and it was not.
void print_warnings_of_others(const Comm& comm) {
    std::set<std::string> all = gather_warnings(comm);
    const std::set<std::string> known = log::kept_warnings();
    for (const std::string& text : all)
        if (comm.is_root() && !known.contains(text)) log::warn("{}", text);
}

// One that is there and cannot be looked into is not absent.
bool is_absent(const std::filesystem::path& directory) {
    std::error_code fault;
    return std::filesystem::status(directory, fault).type() == std::filesystem::file_type::not_found;
}

// Some nodes may have nothing of the trace, but not all.
void tell_of_absent(const Comm& comm, const std::vector<Place>& places, const Place& here) {
    PerRank<int64_t> absent = comm.allgather(int64_t{is_absent(here.directory)});
    auto lacks = [&](const Place& place) { return absent[static_cast<size_t>(place.ranks.front())] != 0; };
    auto lacking = std::ranges::count_if(places, lacks);
    if (lacking == 0) return;
    const Place& first = *std::ranges::find_if(places, lacks);
    std::string what = fmt::format("is missing on {} of {} nodes, the first is {} (rank {})", lacking,
                                   places.size(), first.host, first.node);
    comm.agree([&] {
        if (static_cast<size_t>(lacking) == places.size()) throw Error(what, first.directory);
    });
    log::warn("{}: {}; nothing is read there", first.directory.string(), what);
}

// The first rank of this place finds the streams for all there.
FoundStreams find_here(const Comm& comm, const Comm& ranks_here, const Place& here,
                       const EmulationOptions& options) {
    std::string all = comm.agree([&] {
        if (options.storage == Storage::shared) {
            if (comm.is_root()) expect_begun(here.directory);
            refuse_part_of_trace(here.directory);
        }
        FoundStreams found;
        bool is_here = options.storage == Storage::shared || !is_absent(here.directory);
        if (ranks_here.is_root() && is_here) found = find_streams(here.directory);
        if (options.tolerance == Tolerance::none) expect_metadata(here.directory, found);
        return wire::pack(found);
    });
    return wire::unpack<FoundStreams>(ranks_here.broadcast(std::move(all)));
}

// Rank 0 has seen the streams. A directory of the same name may be there on every node and yet be another.
void expect_shared(const std::filesystem::path& directory, const std::vector<std::string>& paths) {
    if (paths.empty()) return;
    std::filesystem::path first = directory / paths.front() / metadata_name;
    std::error_code fault;
    if (!std::filesystem::exists(first, fault))
        throw Error(fmt::format("rank 0 sees it, the node {} does not: is the directory shared by all nodes? "
                                "(for one on every node see --local)",
                                host_name()),
                    first);
}

// Shares follow each other, so the lowest rank reports what is wrong first in the order of paths.
std::string read_share(const Comm& ranks_here, const EmulationOptions& options, const Place& here,
                       const FoundStreams& found) {
    const std::vector<std::string>& paths = found.streams;
    auto rank = static_cast<size_t>(ranks_here.rank()), ranks = static_cast<size_t>(ranks_here.size());
    ReadShare share;
    if (ranks_here.is_root() && options.tolerance == Tolerance::keep_going)
        list_without_metadata(here.directory, found, share.damages);
    for (size_t i = rank * paths.size() / ranks; i < (rank + 1) * paths.size() / ranks; ++i) {
        std::optional<StreamFile> file =
            options.tolerance == Tolerance::none
                ? read_stream(here.directory, paths[i])
                : salvage_stream(here.directory, paths[i], options.regions, share.damages);
        if (file) share.files.push_back(std::move(*file));
    }
    return wire::pack(share);
}

struct Read {
    std::vector<PlacedStream> files;
    std::vector<Damage> damages;
};

Read unpack(const PerRank<std::string>& shares, const Places& places, const EmulationOptions& options) {
    Read read;
    for (int rank = 0; rank < static_cast<int>(shares.size()); ++rank) {
        uint32_t place = place_of_rank(places, rank);
        ReadShare share = wire::unpack<ReadShare>(shares[static_cast<size_t>(rank)]);
        for (StreamFile& file : share.files) {
            file.is_copy = options.part.has_value();
            if (file.is_copy || options.storage == Storage::node_local)
                file.root = places.all[place].directory;
            read.files.push_back({std::move(file), place});
        }
        std::ranges::move(share.damages, std::back_inserter(read.damages));
    }
    return read;
}

// Several places that see one directory all list its damages.
void keep_one_each(std::vector<Damage>& damages) {
    std::ranges::stable_sort(damages, {}, &Damage::relative_path);
    auto repeated = std::ranges::unique(damages, {}, &Damage::relative_path);
    damages.erase(repeated.begin(), repeated.end());
}

}  // namespace

Trace read_trace(const Comm& comm, const EmulationOptions& options, const ClockSources& clocks,
                 Places& places, std::vector<Damage>& damages) {
    uint32_t mine = place_of_rank(places, comm.rank());
    const Place& here = places.all[mine];
    const bool is_shared = options.storage == Storage::shared;
    Comm ranks_here = comm.split(static_cast<int>(mine));
    if (!is_shared) tell_of_absent(comm, places.all, here);
    FoundStreams found = find_here(comm, ranks_here, here, options);
    std::string share = comm.agree([&] {
        if (is_shared) expect_shared(here.directory, found.streams);
        return read_share(ranks_here, options, here, found);
    });
    if (!is_shared) print_warnings_of_others(comm);
    PerRank<std::string> shares = comm.allgather(share);
    Trace trace = comm.agree([&] {
        Read read = unpack(shares, places, options);
        damages = std::move(read.damages);
        if (!is_shared) {
            keep_one_each(damages);
            read.files = put_together(std::move(read.files), places.all, options.tolerance, damages);
        }
        std::map<std::string, uint32_t> place_of_path;
        std::vector<StreamFile> files;
        for (PlacedStream& placed : read.files) {
            place_of_path[placed.file.relative_path] = placed.place;
            files.push_back(std::move(placed.file));
        }
        Trace whole = options.tolerance == Tolerance::none
                          ? Trace(options.trace, files)
                          : salvaged_trace(options.trace, std::move(files), options.enabled,
                                           options.breakdowns, damages);
        for (const Stream& stream : whole.streams())
            places.of_stream.push_back(place_of_path[stream.relative_path]);
        return whole;
    });
    if (options.tolerance == Tolerance::keep_going)
        salvage_events(comm, trace, places, dry_run_of(options, clocks), damages);
    return trace;
}

ClockSources read_clock_sources(const Comm& comm, const EmulationOptions& options, const Places& places) {
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
