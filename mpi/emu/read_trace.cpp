#include "mpi/emu/read_trace.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "mpi/comm/host_names.hpp"
#include "mpi/emu/packed_text.hpp"
#include "mpi/emu/salvage_events.hpp"
#include "trace/stream_files.hpp"

namespace ovni {

namespace {

using Json = nlohmann::json;

std::string pack(const Json& json) {
    std::vector<uint8_t> packed = Json::to_cbor(json);
    return {packed.begin(), packed.end()};
}

// Rank 0 prints what others were warned of and it was not.
void tell_warnings(const Comm& comm) {
    Json mine = Json::array();
    for (const std::string& text : log::kept_warnings()) mine.push_back(packed(text));
    std::set<std::string> all;
    for (const std::string& of_rank : comm.gather(pack(mine)))
        for (const Json& text : Json::from_cbor(of_rank)) all.insert(unpacked(text));
    const std::set<std::string>& known = log::kept_warnings();
    for (const std::string& text : all)
        if (!known.contains(text)) log::warn("{}", text);
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

Json packed_list(const std::vector<std::string>& texts) {
    Json all = Json::array();
    for (const std::string& text : texts) all.push_back(packed(text));
    return all;
}

std::vector<std::string> texts_of(const Json& all) {
    std::vector<std::string> texts;
    for (const Json& text : all) texts.push_back(unpacked(text));
    return texts;
}

// What the first rank of this place finds.
FoundStreams find_here(const Comm& comm, const Comm& ranks_here, const Place& here,
                       const EmulationOptions& options) {
    std::string all = comm.agree([&] {
        FoundStreams found;
        bool is_here = options.storage == Storage::shared || !is_absent(here.directory);
        if (ranks_here.is_root() && is_here) found = find_streams(here.directory);
        if (options.tolerance == Tolerance::none) expect_metadata(here.directory, found);
        return pack({packed_list(found.streams), packed_list(found.without_metadata)});
    });
    Json found = Json::from_cbor(ranks_here.broadcast(std::move(all)));
    return {texts_of(found[0]), texts_of(found[1])};
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

// Shares follow each other, so what is wrong first in the order of paths is told by the lowest rank.
std::string read_share(const Comm& ranks_here, const EmulationOptions& options, const Place& here,
                       const FoundStreams& found) {
    const std::vector<std::string>& paths = found.streams;
    auto rank = static_cast<size_t>(ranks_here.rank()), ranks = static_cast<size_t>(ranks_here.size());
    Json files = Json::array(), missing = Json::array();
    std::vector<Damage> damages;
    if (ranks_here.is_root() && options.tolerance == Tolerance::keep_going)
        list_without_metadata(here.directory, found, damages);
    for (size_t i = rank * paths.size() / ranks; i < (rank + 1) * paths.size() / ranks; ++i) {
        std::optional<StreamFile> file =
            options.tolerance == Tolerance::none
                ? read_stream(here.directory, paths[i])
                : salvage_stream(here.directory, paths[i], options.regions, damages);
        if (file)
            files.push_back({packed(paths[i]), packed(file->json), file->bytes, file->is_cut, file->cpus});
    }
    for (const Damage& damage : damages)
        missing.push_back({packed(damage.relative_path), packed(damage.cause), damage.end.has_value(),
                           damage.end.value_or(0)});
    return pack({files, missing});
}

struct Read {
    std::vector<PlacedFile> files;
    std::vector<Damage> damages;
};

Read unpack(const PerRank<std::string>& shares, const Places& places, Storage storage) {
    Read read;
    for (int rank = 0; rank < static_cast<int>(shares.size()); ++rank) {
        uint32_t place = place_of_rank(places, rank);
        Json json = Json::from_cbor(shares[static_cast<size_t>(rank)]);
        for (const Json& f : json[0]) {
            PlacedFile& placed = read.files.emplace_back(
                PlacedFile{{unpacked(f[0]), unpacked(f[1]), f[2], f[3], f[4]}, place});
            if (storage == Storage::node_local) placed.file.root = places.all[place].directory;
        }
        for (const Json& damage : json[1]) {
            std::optional<uint64_t> end;
            if (damage[2].get<bool>()) end = damage[3].get<uint64_t>();
            read.damages.push_back({unpacked(damage[0]), unpacked(damage[1]), end});
        }
    }
    return read;
}

// Of a directory that several places see, each has told the same.
void keep_one_each(std::vector<Damage>& damages) {
    std::ranges::stable_sort(damages, {}, &Damage::relative_path);
    auto repeated = std::ranges::unique(damages, {}, &Damage::relative_path);
    damages.erase(repeated.begin(), repeated.end());
}

Json packed_file(const std::optional<ClockSources::File>& file) {
    return file ? Json{packed(file->path), packed(file->text)} : Json();
}

std::optional<ClockSources::File> clock_source(const Json& file) {
    if (file.is_null()) return std::nullopt;
    return ClockSources::File{unpacked(file[0]), unpacked(file[1])};
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
    if (!is_shared) tell_warnings(comm);
    PerRank<std::string> shares = comm.allgather(share);
    Trace trace = comm.agree([&] {
        Read read = unpack(shares, places, options.storage);
        damages = std::move(read.damages);
        if (!is_shared) {
            keep_one_each(damages);
            read.files = put_together(std::move(read.files), places.all, options.tolerance, damages);
        }
        std::map<std::string, uint32_t> place_of_path;
        std::vector<StreamFile> files;
        for (PlacedFile& placed : read.files) {
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
        return pack({packed_file(sources.chosen), packed_file(sources.measured), packed_file(sources.table)});
    });
    Json sources = Json::from_cbor(comm.broadcast(std::move(found)));
    return {clock_source(sources[0]), clock_source(sources[1]), clock_source(sources[2])};
}

}  // namespace ovni
