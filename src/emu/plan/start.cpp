#include "emu/plan/start.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/parallel.hpp"

namespace ovni {

StreamReader open_stream(const Trace& trace, const ClockModel& clocks, uint32_t stream, Regions regions,
                         Checksums checksums) {
    const StreamMetadata& metadata = trace.streams()[stream].metadata;
    return trace.reader(stream, clocks.of_stream(metadata), ClockOrder::checked, regions, checksums);
}

// In batches: until a batch has been moved, its readers are in `opened` and in `readers`.
std::vector<StreamReader> open_streams(const Trace& trace, const ClockModel& clocks,
                                       std::span<const uint32_t> streams, Regions regions,
                                       Checksums checksums, size_t threads) {
    constexpr size_t most = 1024;
    std::vector<StreamReader> readers;
    readers.reserve(streams.size());
    while (readers.size() < streams.size()) {
        const auto next = streams.subspan(readers.size());
        std::vector<std::optional<StreamReader>> opened(std::min(most, next.size()));
        for_each_in_parallel(threads, opened.size(), [&](size_t i) {
            opened[i].emplace(open_stream(trace, clocks, next[i], regions, checksums));
        });
        for (std::optional<StreamReader>& one : opened) readers.push_back(std::move(*one));
    }
    return readers;
}

bool is_far(int64_t clock, int64_t from) {
    constexpr __int128 farthest = INT64_C(3600) * 1'000'000'000;
    __int128 distance = static_cast<__int128>(clock) - from;
    return distance > farthest || -distance > farthest;
}

int64_t time_origin(const Trace& trace, const ClockModel& clocks) {
    std::vector<int64_t> first_clocks;
    for (uint32_t s = 0; s < trace.streams().size(); ++s)
        first_clocks.push_back(open_stream(trace, clocks, s).first_clock().value_or(no_clock));
    return time_origin(trace, first_clocks);
}

int64_t time_origin(const Trace& trace, std::span<const int64_t> first_clocks) {
    auto first = std::ranges::find_if(first_clocks, [](int64_t clock) { return clock != no_clock; });
    if (first == first_clocks.end()) return 0;
    size_t offending = 0;
    for (size_t s = 0; s < first_clocks.size(); ++s) {
        if (first_clocks[s] == no_clock || !is_far(first_clocks[s], *first)) continue;
        double distance = static_cast<double>(first_clocks[s]) - static_cast<double>(*first);
        log::error("{}: begins {:.1f} s from the first stream", trace.path_of(static_cast<uint32_t>(s)),
                   distance * 1e-9);
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

std::optional<int64_t> run_began(const Trace& trace) {
    std::optional<int64_t> began;
    for (const Stream& stream : trace.streams()) {
        const StreamMetadata& metadata = stream.metadata;
        if (metadata.common->run && metadata.common->began)
            began = std::min(began.value_or(*metadata.common->began), *metadata.common->began);
    }
    return began;
}

}  // namespace ovni
