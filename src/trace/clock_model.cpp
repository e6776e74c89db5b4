#include "trace/clock_model.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "trace/clock_file.hpp"
#include "trace/clock_measurements.hpp"

namespace ovni {

namespace {

bool is_there(const std::filesystem::path& file) {
    struct stat info {};
    return ::stat(file.c_str(), &info) == 0 || errno != ENOENT;
}

}  // namespace

void ClockModel::add(const std::string& host, const ClockLine& line) {
    if (!lines_.emplace(host_of_loom(host), line).second)
        throw Error(fmt::format("the host {} for the second time", host_of_loom(host)), source_);
}

ClockModel ClockModel::read(const std::filesystem::path& file) {
    ClockModel model;
    model.source_ = file;
    std::string text = read_file(file);
    if (text.starts_with('{')) {
        for (const NodeClock& node : parse_clock_file(text, model.source_).nodes) {
            model.add(node.host, node.line());
            model.bound_ = std::max(model.bound_.value_or(0), node.bound());
        }
    } else {
        for (const auto& [host, offset] : parse_clock_table(text, model.source_)) model.add(host, offset);
    }
    log::info("loaded {} clock offsets from {}", model.size(), model.source_);
    return model;
}

ClockModel ClockModel::of_trace(const Trace& trace, const std::optional<std::string>& option) {
    if (option) return read(*option);
    std::filesystem::path measured = trace.directory() / "clocks.json";
    std::filesystem::path table = trace.directory() / "clock-offsets.txt";
    ClockMeasurements own = ClockMeasurements::of_streams(trace);
    if (own.empty())
        return is_there(measured) ? read(measured) : is_there(table) ? read(table) : ClockModel();
    ClockModel model;
    model.source_ = fmt::format("{}: measured by the program", trace.directory().string());
    if (is_there(measured)) {
        own.unite(parse_clock_file(read_file(measured), measured), measured);
        model.source_ += " and by ovnisync";
    }
    for (const auto& [host, node] : own.nodes()) {
        model.add(host, node.line());
        model.bound_ = std::max(model.bound_.value_or(0), node.bound());
    }
    log::info("{} clock offsets, {}", model.size(), model.source_);
    return model;
}

const ClockLine& ClockModel::of_loom(std::string_view loom) const {
    static const ClockLine none;
    auto entry = lines_.find(host_of_loom(loom));
    return entry == lines_.end() ? none : entry->second;
}

bool ClockModel::has_entry(std::string_view loom) const {
    return lines_.contains(host_of_loom(loom));
}

void ClockModel::check(const std::vector<std::string>& looms) const {
    if (lines_.empty()) {
        if (looms.size() > 1) log::warn("no clock offset file loaded with {} looms", looms.size());
        return;
    }
    std::set<std::string_view> hosts;
    for (const std::string& loom : looms) hosts.insert(host_of_loom(loom));
    for (const auto& [host, line] : lines_)
        if (!hosts.contains(host)) log::warn("{}: no loom runs on the host {}", source_, host);
    for (std::string_view host : hosts)
        if (!lines_.contains(host))
            log::warn("{}: no clock offset for the host {}, taken as 0", source_, host);
}

std::string ClockModel::summary(int64_t begin, int64_t end) const {
    if (!bound_) return "";
    int64_t before = 0, behind = 0;
    bool drifts = false;
    for (const auto& [host, line] : lines_) {
        if (line.is_constant()) continue;
        drifts = true;
        before = std::max(before, line.corrected(line.measured_from()) - begin);
        behind = std::max(behind, end - line.corrected(line.measured_to()));
    }
    std::string text =
        fmt::format("clocks of {} hosts: right to +-{} ns when they were measured", size(), *bound_);
    if (!drifts) return text + (size() > 1 ? ", once each, so that drift is not corrected" : "");
    if (before + behind > 0)
        text += fmt::format(", extrapolated over {:.3f} s before and {:.3f} s after",
                            static_cast<double>(before) * 1e-9, static_cast<double>(behind) * 1e-9);
    return text;
}

}  // namespace ovni
