#include "session/call_sites.hpp"

#include <tuple>

#include "base/wire.hpp"

namespace ovni {

// Found by the argument, so not in the namespace without a name.
static auto fields(SourcePlace& place) {
    return std::tie(place.function, place.file, place.line);
}

CallSites read_call_sites(const Ranks& ranks, const Trace& trace) {
    std::vector<SourceFrames> names = ranks.agree(
        [&] { return ranks.is_root() ? resolve(code_places(trace)) : std::vector<SourceFrames>(); });
    if (!ranks.is_alone())
        names = wire::unpack<std::vector<SourceFrames>>(ranks.broadcast(wire::pack(names)));
    return ranks.agree([&] { return CallSites(trace, names); });
}

}  // namespace ovni
