#include "emu/start.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/log.hpp"

namespace ovni {

StreamReader open_stream(const Trace& trace, const ClockModel& clocks, uint32_t stream, Regions regions,
                         Checksums checksums) {
    const StreamMetadata& metadata = trace.streams()[stream].metadata;
    return trace.reader(stream, clocks.of_stream(metadata), ClockOrder::checked, regions, checksums);
}

int64_t time_origin(const Trace& trace, std::span<const int64_t> first_clocks) {
    constexpr __int128 farthest = INT64_C(3600) * 1'000'000'000;
    auto first = std::ranges::find_if(first_clocks, [](int64_t clock) { return clock != no_clock; });
    if (first == first_clocks.end()) return 0;
    size_t offending = 0;
    for (size_t s = 0; s < first_clocks.size(); ++s) {
        __int128 distance = static_cast<__int128>(first_clocks[s]) - *first;
        if (first_clocks[s] == no_clock || (distance <= farthest && -distance <= farthest)) continue;
        log::error("{}: begins {:.1f} s from the first stream", trace.path_of(static_cast<uint32_t>(s)),
                   static_cast<double>(distance) * 1e-9);
        ++offending;
    }
    if (offending > 0)
        throw Error(
            fmt::format(
                "{} streams begin more than an hour from the first: their nodes' clocks need a table of "
                "offsets (ovnisync)",
                offending),
            trace.directory().string());
    return *std::ranges::min_element(first_clocks);
}

}  // namespace ovni
