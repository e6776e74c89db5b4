#include "trace/salvage.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "ovni/format.h"
#include "trace/checksums.hpp"
#include "trace/region_plan.hpp"
#include "trace/stream_files.hpp"

namespace ovni {

namespace fs = std::filesystem;

namespace {

// The index of a CPU in the loom, if the event names one.
std::optional<int> cpu_of_event(const EventView& event) {
    static constexpr std::array<EventCode, 3> moves = {"OHx", "OAs", "OAr"};
    std::span<const uint8_t> payload = event.payload();
    int32_t cpu = 0;
    bool names_one = std::ranges::find(moves, event.code) != moves.end();
    if (!names_one || payload.size() < sizeof cpu) return std::nullopt;
    std::memcpy(&cpu, payload.data(), sizeof cpu);
    return cpu;
}

// The first fault in the events of a stream of that size; nothing if all are good. `cpus` gets the CPUs that
// good events name.
std::optional<Damage> find_damage(const std::string& of_stream, uint64_t size, Regions regions,
                                  std::set<int>& cpus) {
    StreamSource source{.directory = of_stream};
    // A program that rewrites a stream, such as ovnisort, does not shorten it.
    const uint64_t recorded = recorded_size(of_stream);
    if (recorded > size) source.until = size;
    if (regions == Regions::sorted) source.sort = plan_regions(of_stream, largest_block);
    StreamReader reader(std::move(source));
    try {
        while (reader.next())
            if (reader.event().kind == EventView::Kind::event)
                if (std::optional<int> cpu = cpu_of_event(reader.event())) cpus.insert(*cpu);
    } catch (const Error& e) {
        // In a block with a wrong checksum good and bad events look alike.
        bool in_events = e.path == reader.path() && e.offset;
        uint64_t good = std::min(reader.position().next, in_events ? *e.offset : UINT64_MAX);
        return Damage{{}, e.what(), std::max<uint64_t>(good, OVNI_FORMAT_STREAM_HEADER)};
    }
    if (recorded <= size) return std::nullopt;
    Error torn(
        fmt::format("it has {} bytes, but had {} when it was recorded: the end is missing", size, recorded),
        reader.path());
    return Damage{{}, torn.what(), size};
}

}  // namespace

std::optional<Stream> salvage_stream(const fs::path& directory, const std::string& relative_path,
                                     Regions regions, std::vector<Damage>& damages) {
    Stream stream{.path = relative_path};
    const std::string of_stream = directory_of(stream, directory);
    try {
        const std::string json = file_in(of_stream, metadata_name);
        const std::string text = read_file(json);
        stream.metadata = parse_metadata(text, json);
        stream.is_running = is_of_running_program(text);
    } catch (const Error& e) {
        damages.push_back({relative_path, e.what(), std::nullopt});
        return std::nullopt;
    }
    try {
        Stream good = read_stream(directory, relative_path);
        std::set<int> cpus;
        std::optional<Damage> damage = find_damage(of_stream, good.bytes, regions, cpus);
        good.cpus = std::vector<int>(cpus.begin(), cpus.end());
        if (!damage && !good.metadata.finished)
            damage = Damage{{}, "ovni.finished is not 1: the stream was never ended", good.bytes};
        if (!damage) return good;
        good.bytes = *damage->end;
        good.is_cut = true;
        damages.push_back({relative_path, std::move(damage->cause), damage->end});
        return good;
    } catch (const Error& e) {
        // The stream stays, as it may be the only one that describes its process and loom.
        stream.bytes = OVNI_FORMAT_STREAM_HEADER;
        stream.is_cut = true;
        damages.push_back({relative_path, e.what(), stream.bytes});
        return stream;
    }
}

void list_without_metadata(const fs::path& directory, const FoundStreams& found,
                           std::vector<Damage>& damages) {
    for (const std::string& relative_path : found.without_metadata)
        damages.push_back({relative_path, no_metadata(directory, relative_path).what(), std::nullopt});
}

void leave_out(std::vector<Stream>& streams, const fs::path& directory, const Error& error,
               std::vector<Damage>& damages) {
    fs::path at_fault = fs::path(error.path).parent_path();
    auto is_at_fault = [&](const Stream& stream) { return at_fault == directory_of(stream, directory); };
    auto found = std::ranges::find_if(streams, is_at_fault);
    if (found == streams.end()) throw Error(error);
    replace(damages, {found->relative_path(), error.what(), std::nullopt});
    streams.erase(found);
}

void replace(std::vector<Damage>& damages, Damage damage) {
    std::erase_if(damages, [&](const Damage& other) { return other.relative_path == damage.relative_path; });
    damages.push_back(std::move(damage));
}

void print(const std::vector<Damage>& damages) {
    constexpr size_t most = 100;
    size_t left_out = 0, cut = 0, ranks = 0;
    for (size_t i = 0; i < damages.size(); ++i) {
        const Damage& damage = damages[i];
        ranks += damage.ranks;
        cut += damage.end.has_value();
        left_out += !damage.end && damage.ranks == 0;
        if (i >= most) continue;
        if (damage.ranks > 0)
            log::warn("missing: {}", damage.cause);
        else if (damage.end && *damage.end <= OVNI_FORMAT_STREAM_HEADER)
            log::warn("{} has no event that can be read: {}", damage.relative_path, damage.cause);
        else if (damage.end)
            log::warn("{} ends at byte {}: {}", damage.relative_path, *damage.end, damage.cause);
        else
            log::warn("{} is left out: {}", damage.relative_path, damage.cause);
    }
    log::warn("--keep-going: {} streams are left out, {} end too early, {} ranks are missing", left_out, cut,
              ranks);
}

}  // namespace ovni
