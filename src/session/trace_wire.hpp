// The fields of what ranks tell each other while they read a trace (wire.hpp).
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "trace/clock_sources.hpp"
#include "trace/salvage.hpp"
#include "trace/trace.hpp"

namespace ovni {

// The part of the streams that one rank has read.
struct ReadShare {
    std::vector<StreamFile> files;
    std::vector<Damage> damages;
};

inline auto fields(FoundStreams& found) {
    return std::tie(found.streams, found.without_metadata);
}
inline auto fields(StreamFile& file) {
    return std::tie(file.relative_path, file.json, file.bytes, file.is_cut, file.cpus);
}
inline auto fields(Damage& damage) {
    return std::tie(damage.relative_path, damage.cause, damage.end, damage.ranks);
}
inline auto fields(ReadShare& share) {
    return std::tie(share.files, share.damages);
}
inline auto fields(ClockSources::File& file) {
    return std::tie(file.path, file.text);
}
inline auto fields(ClockSources& sources) {
    return std::tie(sources.chosen, sources.measured, sources.table);
}

}  // namespace ovni
