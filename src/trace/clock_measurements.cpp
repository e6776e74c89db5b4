#include "trace/clock_measurements.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "core/clock_drift.hpp"
#include "trace/clock_table.hpp"

namespace ovni {

namespace {

__extension__ using Wide = __int128;

bool contradict(const ClockMeasurement& a, const ClockMeasurement& b) {
    Wide rise = Wide{b.point.offset} - a.point.offset;
    Wide allowed = Wide{a.bound()} + b.bound() + greatest_drift(b.point.local - a.point.local);
    return rise > allowed || rise < -allowed;
}

}  // namespace

void ClockMeasurements::add(const std::string& host, int64_t time_offset, const ClockMeasurement& measured,
                            const std::string& source) {
    NodeClock& node = nodes_.try_emplace(host, NodeClock{host, {}, time_offset}).first->second;
    const ClockMeasurement measurement = measured.ahead_by(node.time_offset - time_offset);
    std::vector<ClockMeasurement>& all = node.measurements;
    auto next = std::ranges::upper_bound(all, measurement.point.local, {},
                                         [](const ClockMeasurement& m) { return m.point.local; });
    auto fits = [&](const ClockMeasurement& other) {
        bool is_before = other.point.local <= measurement.point.local;
        return !contradict(other, measurement) &&
               (is_before ? ClockLine::fits(other.point, measurement.point)
                          : ClockLine::fits(measurement.point, other.point));
    };
    if (next != all.begin() && (next - 1)->point == measurement.point) return;
    for (auto other : {next == all.begin() ? all.end() : next - 1, next}) {
        if (other == all.end() || fits(*other)) continue;
        log::warn(
            "{}: the clock of {} had an offset of {} ns (+-{}) at {} ns, but of {} ns (+-{}) at {} ns: the "
            "former is left out",
            source, host, measurement.point.offset, measurement.bound(), measurement.point.local,
            other->point.offset, other->bound(), other->point.local);
        return;
    }
    all.insert(next, measurement);
}

ClockMeasurements ClockMeasurements::of_streams(const Trace& trace) {
    ClockMeasurements result;
    for (uint32_t s = 0; s < trace.streams().size(); ++s) {
        const StreamMetadata& metadata = trace.streams()[s].metadata;
        if (metadata.process->clock->points.empty()) continue;
        if (result.empty()) result.reference_ = metadata.process->clock->reference;
        if (metadata.process->clock->reference != result.reference_) {
            log::warn("{}: measured against {}, others against {}: left out", trace.path_of(s),
                      metadata.process->clock->reference, result.reference_);
            continue;
        }
        for (const ClockMeasurement& point : metadata.process->clock->points)
            result.add(host_of(metadata), metadata.process->time_offset, point, trace.path_of(s));
    }
    return result;
}

bool ClockMeasurements::unite(const ClockFile& file, const std::string& path) {
    if (host_of_loom(file.reference) != host_of_loom(reference_)) {
        log::warn("{}: measured against {}, the trace against {}: left out", path, file.reference,
                  reference_);
        return false;
    }
    auto is_reference = [&](const NodeClock& node) {
        return host_of_loom(node.host) == host_of_loom(reference_);
    };
    auto of_file = std::ranges::find_if(file.nodes, is_reference);
    auto own = nodes_.find(host_of_loom(reference_));
    const bool are_known = of_file != file.nodes.end() && own != nodes_.end();
    const int64_t ahead = are_known ? own->second.time_offset - of_file->time_offset : 0;
    for (const NodeClock& node : file.nodes)
        for (const ClockMeasurement& measurement : node.measurements)
            add(std::string(host_of_loom(node.host)), node.time_offset, measurement.against_ahead_by(ahead),
                path);
    return true;
}

}  // namespace ovni
