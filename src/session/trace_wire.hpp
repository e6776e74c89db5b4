// The fields of the data that ranks exchange while they read a trace (wire.hpp).
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
    std::vector<Stream> streams;
    std::vector<Damage> damages;
};

inline auto fields(Listing::Directory& directory) {
    return std::tie(directory.path, directory.has_metadata, directory.has_events);
}
inline auto fields(Listing& listing) {
    return std::tie(listing.directories, listing.unvisited, listing.links);
}
inline auto fields(FoundStreams& found) {
    return std::tie(found.streams, found.without_metadata);
}
inline auto fields(CpuId& cpu) {
    return std::tie(cpu.index, cpu.phyid);
}
inline auto fields(MarkType& mark) {
    return std::tie(mark.type, mark.title, mark.kind, mark.labels);
}
inline auto fields(CommonMetadata& m) {
    return std::tie(m.part, m.loom, m.host, m.cpus, m.require, m.has_require, m.marks, m.lib_version,
                    m.lib_commit, m.run, m.command, m.began, m.can_breakdown, m.hardware_counters,
                    m.counters);
}
inline auto fields(ClockMeasurement& measured) {
    return std::tie(measured.point.local, measured.point.offset, measured.low, measured.high,
                    measured.round_trip, measured.samples, measured.method);
}
inline auto fields(ProcessMetadata::Clock& clock) {
    return std::tie(clock.reference, clock.points);
}
inline auto fields(ProcessMetadata::CpuUse& use) {
    return std::tie(use.wall, use.cpu, use.switches, use.busy, use.cpus, use.children);
}
inline auto fields(StreamMetadata::End& end) {
    return std::tie(end.by, end.code, end.clock);
}
inline auto fields(CodeModule& module) {
    return std::tie(module.build_id, module.path);
}
inline auto fields(CallSite::Caller& caller) {
    return std::tie(caller.module, caller.offset);
}
inline auto fields(CallSite& site) {
    return std::tie(site.function, site.callers);
}
inline auto fields(CallSiteTable& calls) {
    return std::tie(calls.modules, calls.sites, calls.callers);
}
inline auto fields(ProcessMetadata& process) {
    return std::tie(process.pid, process.app_id, process.rank, process.nranks, process.clock,
                    process.time_offset, process.calls, process.cpu_use);
}
inline auto fields(StreamMetadata& m) {
    return std::tie(m.common, m.process, m.tid, m.name, m.leaves_threads_out, m.begins_inside, m.samples_cpus,
                    m.finished, m.goes_on, m.end);
}
// The root is that of the place, which its ranks know.
inline auto fields(Stream& stream) {
    return std::tie(stream.path, stream.metadata, stream.bytes, stream.is_cut, stream.is_running,
                    stream.cpus);
}
inline auto fields(Damage& damage) {
    return std::tie(damage.relative_path, damage.cause, damage.end, damage.ranks);
}
inline auto fields(ReadShare& share) {
    return std::tie(share.streams, share.damages);
}
inline auto fields(ClockSources::File& file) {
    return std::tie(file.path, file.text);
}
inline auto fields(ClockSources& sources) {
    return std::tie(sources.chosen, sources.measured, sources.table);
}

}  // namespace ovni
