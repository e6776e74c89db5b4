#include "trace/clock_model.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/error.hpp"
#include "base/log.hpp"
#include "trace/clock_file.hpp"
#include "trace/clock_measurements.hpp"

namespace ovni {

void ClockModel::add(const std::string& host, Clock clock) {
    if (!clocks_.emplace(host_of_loom(host), std::move(clock)).second)
        throw Error(fmt::format("the host {} for the second time", host_of_loom(host)), source_);
}

ClockModel ClockModel::of_file(const ClockSources::File& file) {
    ClockModel model;
    model.source_ = file.path;
    if (file.text.starts_with('{')) {
        for (const NodeClock& node : parse_clock_file(file.text, file.path).nodes)
            model.add(node.host, {node.line(), node.bound(), node.time_offset});
    } else {
        for (const auto& [host, offset] : parse_clock_table(file.text, file.path))
            model.add(host, {offset, {}, {}});
    }
    log::info("loaded {} clock offsets from {}", model.size(), model.source_);
    return model;
}

ClockModel ClockModel::of_trace(const Trace& trace, const std::optional<std::string>& option) {
    return of_sources(trace, ClockSources::find(option, {trace.directory()}));
}

ClockModel ClockModel::of_sources(const Trace& trace, const ClockSources& sources) {
    ClockModel model = of_hosts(trace, sources);
    model.separate_namespaces(trace);
    return model;
}

void ClockModel::separate_namespaces(const Trace& trace) {
    std::map<std::string, std::set<int64_t>> offsets;
    for (const Stream& stream : trace.streams())
        if (stream.metadata.common->part == "thread")
            offsets[name_of(stream.metadata)].insert(stream.metadata.process->time_offset);
    for (const auto& [name, all] : offsets) {
        auto entry = clocks_.find(name);
        const int64_t nearest =
            *std::ranges::min_element(all, {}, [](int64_t offset) { return std::abs(offset); });
        const int64_t measured =
            entry == clocks_.end() ? nearest : entry->second.time_offset.value_or(nearest);
        for (int64_t offset : all)
            if (offset != measured) others_[{name, offset}] = of_host(name).ahead_by(offset - measured);
    }
}

// Without the namespaces of streams.
ClockModel ClockModel::of_hosts(const Trace& trace, const ClockSources& sources) {
    if (sources.chosen) return of_file(*sources.chosen);
    const std::optional<ClockSources::File>& measured = sources.measured;
    ClockMeasurements own = ClockMeasurements::of_streams(trace);
    if (own.empty())
        return measured ? of_file(*measured) : sources.table ? of_file(*sources.table) : ClockModel();
    ClockModel model;
    model.source_ = fmt::format("{}: measured by the program", trace.directory().string());
    if (measured && own.unite(parse_clock_file(measured->text, measured->path), measured->path))
        model.source_ += " and by ovnisync";
    for (const auto& [host, node] : own.nodes())
        model.add(host, {node.line(), node.bound(), node.time_offset});
    log::info("{} clock offsets, {}", model.size(), model.source_);
    return model;
}

const ClockLine& ClockModel::of_host(std::string_view host) const {
    static const ClockLine none;
    auto entry = clocks_.find(host_of_loom(host));
    return entry == clocks_.end() ? none : entry->second.line;
}

const ClockLine& ClockModel::of_stream(const StreamMetadata& metadata) const {
    const std::string name = name_of(metadata);
    auto other = others_.find({name, metadata.process->time_offset});
    return other == others_.end() ? of_host(name) : other->second;
}

std::optional<int64_t> ClockModel::bound_of(const StreamMetadata& metadata) const {
    auto known = clocks_.find(name_of(metadata));
    return known == clocks_.end() ? std::nullopt : known->second.bound;
}

bool ClockModel::has_entry(std::string_view host) const {
    return clocks_.contains(host_of_loom(host));
}

std::string ClockModel::name_of(const StreamMetadata& metadata) const {
    std::string host = host_of(metadata), loom(host_of_loom(metadata.common->loom));
    return !has_entry(host) && has_entry(loom) ? loom : host;
}

std::set<std::string> ClockModel::hosts_of(const Trace& trace) const {
    std::set<std::string> hosts;
    for (const Stream& stream : trace.streams())
        if (stream.metadata.common->part == "thread") hosts.insert(name_of(stream.metadata));
    return hosts;
}

std::set<std::string> ClockModel::hosts() const {
    std::set<std::string> hosts;
    for (const auto& entry : clocks_) hosts.insert(entry.first);
    return hosts;
}

void ClockModel::check(const std::set<std::string>& hosts) const {
    if (clocks_.empty()) {
        if (hosts.size() > 1)
            log::warn(
                "no clock offset is known of {} hosts, whose clocks cannot be compared: see ovnirun --sync "
                "and ovnisync",
                hosts.size());
        return;
    }
    for (const auto& [host, clock] : clocks_)
        if (!hosts.contains(host)) log::warn("{}: no stream is of the host {}", source_, host);
    for (const std::string& host : hosts)
        if (!clocks_.contains(host))
            log::warn("{}: no clock offset for the host {}, taken as 0", source_, host);
}

ClockQuality ClockModel::quality(const std::set<std::string>& hosts, int64_t begin, int64_t end) const {
    ClockQuality quality{.hosts = hosts.size()};
    for (const std::string& host : hosts) {
        auto known = clocks_.find(host);
        if (known == clocks_.end() || !known->second.bound) continue;
        ++quality.measured;
        quality.bound = std::max(quality.bound, *known->second.bound);
        const ClockLine& line = known->second.line;
        if (line.is_constant()) continue;
        quality.drifts = true;
        quality.before = std::max(quality.before, line.corrected(line.measured_from()) - begin);
        quality.behind = std::max(quality.behind, end - line.corrected(line.measured_to()));
    }
    return quality;
}

std::string ClockModel::summary(const std::set<std::string>& hosts, int64_t begin, int64_t end) const {
    auto [all, measured, bound, drifts, before, behind] = quality(hosts, begin, end);
    if (measured == 0) return "";
    std::string text = fmt::format("clocks of {} of {} hosts: right to +-{} ns when they were measured",
                                   measured, all, bound);
    if (!drifts) return text + (measured > 1 ? ", once each, so that drift is not corrected" : "");
    if (before + behind > 0)
        text += fmt::format(", extrapolated over {:.3f} s before and {:.3f} s after",
                            static_cast<double>(before) * 1e-9, static_cast<double>(behind) * 1e-9);
    return text;
}

}  // namespace ovni
