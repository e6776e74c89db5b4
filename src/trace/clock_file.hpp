// clocks.json: the measurements of the clocks of nodes, as ovnisync writes them next to clock-offsets.txt.
//     {"version": 1, "reference": HOST, "nodes": [{"host": HOST, "time_offset": NS, "segments": [
//         {"local": NS, "offset": NS, "rate_ppb": R, "low": NS, "high": NS, "round_trip": NS,
//          "samples": N, "method": TEXT}, ...]}, ...]}
// A segment begins with a measurement: when the node's clock showed `local`, that of the reference showed
// about `local` + `offset`. Whatever the delays of the network were, it showed a value between `local` +
// `low` and `local` + `high`. `round_trip` is the smallest one seen. `rate_ppb` is the slope of the offset
// from there on (the last segment goes on like its predecessor) and is for people: readers draw the line to
// the next segment's beginning (core/clock_line.hpp). Numbers of ns are integers. `time_offset`, 0 if it is
// missing, is that of the time namespace in which the node was measured (core/time_offsets.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock_line.hpp"

namespace ovni {

// Clocks are limited, in ns, so that sums and differences fit into 64 bits.
inline constexpr int64_t farthest_clock = int64_t{1} << 61;

struct ClockMeasurement {
    ClockPoint point;
    int64_t low, high;
    int64_t round_trip;
    uint64_t samples;
    std::string method;
    bool operator==(const ClockMeasurement&) const = default;
    int64_t bound() const { return std::max(high - point.offset, point.offset - low); }
    // The measurement of a clock that is `ns` ahead of this one.
    ClockMeasurement ahead_by(int64_t ns) const;
    // The measurement against a clock that is `ns` ahead of this one's reference.
    ClockMeasurement against_ahead_by(int64_t ns) const;
};

struct NodeClock {
    std::string host;
    std::vector<ClockMeasurement> measurements;  // by local time, one at least
    int64_t time_offset = 0;
    // The line through the measurements. Before the first measurement it goes on at the rate between this and
    // the nearest one that gives the rate to better than 10 ppm, by which clocks differ anyway; behind the
    // last one it does so as well. It goes on level if there is no such measurement.
    ClockLine line() const;
    int64_t bound() const;  // the greatest of the measurements
};

struct ClockFile {
    std::string reference;
    std::vector<NodeClock> nodes;
};

// Throws Error, with path and cause, for any other file, a host twice, measurements whose local times do not
// ascend, and clocks that would run backwards between two.
ClockFile parse_clock_file(std::string_view text, const std::string& path);

// Reads an array of "segments" elsewhere: `name` is its place in the file `path`. Does not check whether a
// clock can go from one to the next.
std::vector<ClockMeasurement> parse_measurements(const nlohmann::ordered_json& segments,
                                                 const std::string& name, const std::string& path);

std::string clock_file_text(const ClockFile& file);

}  // namespace ovni
