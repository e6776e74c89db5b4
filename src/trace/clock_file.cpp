#include "trace/clock_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.hpp"
#include "base/json.hpp"

namespace ovni {

namespace {

using Json = nlohmann::ordered_json;

constexpr int version = 1;

// A part of the file and its name in errors.
struct Part {
    const Json& json;
    std::string name;
    const std::string& path;

    [[noreturn]] void fail(std::string_view what) const {
        throw Error(fmt::format("{}: {}", name, what), path);
    }
    Part member(const char* key) const {
        auto found = json.is_object() ? json.find(key) : json.end();
        if (!json.is_object() || found == json.end()) fail(fmt::format("no '{}'", key));
        return {*found, fmt::format("{}.{}", name, key), path};
    }
    int64_t integer() const {
        bool beyond = json.is_number_unsigned() &&
                      json.get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
        if (!json.is_number_integer() || beyond) fail("not an integer of 64 bits");
        return json.get<int64_t>();
    }
    uint64_t natural() const {
        if (!json.is_number_unsigned()) fail("not a natural number");
        return json.get<uint64_t>();
    }
    std::string text() const {
        if (!json.is_string()) fail("not a string");
        return json.get<std::string>();
    }
    std::vector<Part> elements() const {
        if (!json.is_array()) fail("not an array");
        std::vector<Part> parts;
        for (size_t i = 0; i < json.size(); ++i)
            parts.push_back({json[i], fmt::format("{}[{}]", name, i), path});
        return parts;
    }
};

ClockMeasurement measurement_of(const Part& part) {
    ClockMeasurement result{{part.member("local").integer(), part.member("offset").integer()},
                            part.member("low").integer(),
                            part.member("high").integer(),
                            part.member("round_trip").integer(),
                            part.member("samples").natural(),
                            part.member("method").text()};
    for (int64_t value : {result.point.local, result.low, result.high})
        if (value > farthest_clock || value < -farthest_clock) part.fail("a clock beyond 2^61 ns");
    if (result.low > result.point.offset || result.point.offset > result.high)
        part.fail("the offset is not between 'low' and 'high'");
    return result;
}

std::vector<ClockMeasurement> measurements_of(const Part& segments) {
    std::vector<ClockMeasurement> measurements;
    for (const Part& segment : segments.elements()) measurements.push_back(measurement_of(segment));
    if (measurements.empty()) segments.fail("there are none");
    return measurements;
}

NodeClock node_of(const Part& part) {
    NodeClock node{part.member("host").text(), {}};
    if (part.json.contains("time_offset")) node.time_offset = part.member("time_offset").integer();
    if (node.time_offset > farthest_clock || node.time_offset < -farthest_clock)
        part.fail("a time_offset beyond 2^61 ns");
    Part segments = part.member("segments");
    node.measurements = measurements_of(segments);
    for (size_t i = 1; i < node.measurements.size(); ++i)
        if (!ClockLine::fits(node.measurements[i - 1].point, node.measurements[i].point))
            segments.elements()[i].fail("a clock cannot go from the segment before to this one");
    return node;
}

double rate_ppb(const ClockPoint& point, const ClockPoint& next) {
    return static_cast<double>(next.offset - point.offset) / static_cast<double>(next.local - point.local) *
           1e9;
}

Json json_of(const NodeClock& node) {
    Json segments = Json::array();
    const auto& all = node.measurements;
    for (size_t i = 0; i < all.size(); ++i) {
        size_t begin = i + 1 < all.size() || i == 0 ? i : i - 1;
        double rate = all.size() > 1 ? rate_ppb(all[begin].point, all[begin + 1].point) : 0;
        const ClockMeasurement& m = all[i];
        segments.push_back({{"local", m.point.local},
                            {"offset", m.point.offset},
                            {"rate_ppb", rate},
                            {"low", m.low},
                            {"high", m.high},
                            {"round_trip", m.round_trip},
                            {"samples", m.samples},
                            {"method", m.method}});
    }
    Json json = {{"host", node.host}};
    if (node.time_offset != 0) json["time_offset"] = node.time_offset;
    json["segments"] = std::move(segments);
    return json;
}

}  // namespace

ClockMeasurement ClockMeasurement::ahead_by(int64_t ns) const {
    ClockMeasurement other = against_ahead_by(-ns);
    other.point.local += ns;
    return other;
}

ClockMeasurement ClockMeasurement::against_ahead_by(int64_t ns) const {
    ClockMeasurement other = *this;
    for (int64_t* offset : {&other.point.offset, &other.low, &other.high}) *offset += ns;
    return other;
}

ClockLine NodeClock::line() const {
    constexpr int64_t usual_drift = 100'000;  // ns in which clocks differ by 1
    std::vector<ClockPoint> points;
    for (const ClockMeasurement& measurement : measurements) points.push_back(measurement.point);
    auto is_far = [&](const ClockMeasurement& from, const ClockMeasurement& to) {
        return (to.point.local - from.point.local) / usual_drift >= from.bound() + to.bound();
    };
    const auto &first = measurements.front(), &last = measurements.back();
    auto ahead = std::ranges::find_if(measurements, [&](const auto& m) { return is_far(first, m); });
    auto behind = std::find_if(measurements.rbegin(), measurements.rend(),
                               [&](const auto& m) { return is_far(m, last); });
    bool is_level_ahead = ahead == measurements.end(), is_level_behind = behind == measurements.rend();
    return {points, is_level_ahead ? 0 : static_cast<size_t>(ahead - measurements.begin()),
            is_level_behind ? points.size() - 1 : static_cast<size_t>(measurements.rend() - behind) - 1};
}

int64_t NodeClock::bound() const {
    int64_t greatest = 0;
    for (const ClockMeasurement& measurement : measurements)
        greatest = std::max(greatest, measurement.bound());
    return greatest;
}

std::vector<ClockMeasurement> parse_measurements(const Json& segments, const std::string& name,
                                                 const std::string& path) {
    return measurements_of({segments, name, path});
}

ClockFile parse_clock_file(std::string_view text, const std::string& path) {
    Json json = parse_json(text, path);
    Part whole{json, "clocks", path};
    if (uint64_t found = whole.member("version").natural(); found != version)
        whole.fail(fmt::format("version {}, not {}", found, version));
    ClockFile file{whole.member("reference").text(), {}};
    std::set<std::string> hosts;
    for (const Part& node : whole.member("nodes").elements()) {
        file.nodes.push_back(node_of(node));
        if (!hosts.insert(file.nodes.back().host).second)
            node.fail(fmt::format("the host {} for the second time", file.nodes.back().host));
    }
    if (file.nodes.empty()) whole.fail("no nodes");
    return file;
}

std::string clock_file_text(const ClockFile& file) {
    Json nodes = Json::array();
    for (const NodeClock& node : file.nodes) nodes.push_back(json_of(node));
    Json json = {{"version", version}, {"reference", file.reference}, {"nodes", std::move(nodes)}};
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ovni
