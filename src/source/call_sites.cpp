#include "source/call_sites.hpp"

#include <algorithm>
#include <map>
#include <ranges>
#include <set>
#include <string_view>

#include "base/log.hpp"

namespace ovni {

namespace {

CodePlace place_of(const StreamMetadata& metadata, const CallSite::Caller& caller) {
    if (!caller.module) return {};
    return {metadata.process->calls->modules.at(*caller.module), caller.offset};
}

std::string_view base_name(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

std::string address_of(const CodePlace& place) {
    if (place.module.path.empty()) return "unknown code";
    return fmt::format("{}+0x{:x}", base_name(place.module.path), place.offset);
}

// Base names that stand for several files.
std::set<std::string_view> ambiguous_names(const std::vector<SourceFrames>& places) {
    std::map<std::string_view, std::string_view> path_of;
    std::set<std::string_view> ambiguous;
    for (const SourceFrames& frames : places)
        for (const SourcePlace& place : frames) {
            std::string_view name = base_name(place.file);
            if (path_of.emplace(name, place.file).first->second != place.file) ambiguous.insert(name);
        }
    return ambiguous;
}

// The names of a caller in outputs.
struct Labels {
    std::string function, line;
};

// The callers of each place, the innermost first.
std::vector<std::vector<Labels>> labels_of(const std::vector<CodePlace>& places,
                                           const std::vector<SourceFrames>& names) {
    const std::set<std::string_view> ambiguous = ambiguous_names(names);
    std::vector<std::vector<Labels>> labels(places.size());
    for (size_t i = 0; i < places.size(); ++i) {
        const std::string address = address_of(places[i]);
        for (const SourcePlace& name : names.at(i)) {
            std::string_view file = base_name(name.file);
            if (ambiguous.contains(file)) file = name.file;
            labels[i].push_back({name.function.empty() ? address : name.function,
                                 name.file.empty() ? address : fmt::format("{}:{}", file, name.line)});
        }
    }
    return labels;
}

template <class Items>
auto sorted_set(Items items) {
    std::ranges::sort(items);
    items.erase(std::ranges::unique(items).begin(), items.end());
    return items;
}

// The place in a sorted list, from 1.
template <class Item>
uint32_t number_in(const std::vector<Item>& sorted, const Item& item) {
    return static_cast<uint32_t>(std::ranges::lower_bound(sorted, item) - sorted.begin()) + 1;
}

const MpiFunctionRow* function_named(std::string_view name) {
    auto found = std::ranges::find(mpi_function_rows, name, &MpiFunctionRow::name);
    return found == std::end(mpi_function_rows) ? nullptr : found;
}

}  // namespace

std::vector<CodePlace> code_places(const Trace& trace) {
    std::vector<CodePlace> places;
    for (const Stream& stream : trace.streams())
        for (const CallSite& site : std::views::values(stream.metadata.process->calls->sites))
            for (const CallSite::Caller& caller : site.callers)
                places.push_back(place_of(stream.metadata, caller));
    return sorted_set(std::move(places));
}

std::vector<SourceFrames> resolve(const std::vector<CodePlace>& places) {
    Resolver resolver;
    std::vector<SourceFrames> names;
    for (const CodePlace& place : places)
        names.push_back(place.module.path.empty() ? SourceFrames(1)
                                                  : resolver.frames_of(place.module, place.offset));
    for (const std::string& remark : resolver.remarks()) log::warn("{}", remark);
    return names;
}

CallSites::CallSites(const Trace& trace, const std::vector<SourceFrames>& names) {
    const std::vector<CodePlace> places = code_places(trace);
    const std::vector<std::vector<Labels>> labels = labels_of(places, names);
    for (const Labels& label : std::views::join(labels))
        functions_.push_back(label.function), lines_.push_back(label.line);
    functions_ = sorted_set(std::move(functions_));
    lines_ = sorted_set(std::move(lines_));

    auto chain_of = [&](const Stream& stream, const CallSite& site) {
        Chain chain;
        for (const CallSite::Caller& caller : site.callers)
            for (const Labels& label : labels[number_in(places, place_of(stream.metadata, caller)) - 1])
                chain.push_back({number_in(functions_, label.function), number_in(lines_, label.line)});
        chain.resize(std::min(
            chain.size(), std::max<size_t>(stream.metadata.process->calls->callers, site.callers.size())));
        return chain;
    };
    for (const Stream& stream : trace.streams())
        for (const CallSite& site : std::views::values(stream.metadata.process->calls->sites))
            chains_.push_back(chain_of(stream, site));
    chains_ = sorted_set(std::move(chains_));
    for (const Chain& chain : chains_) levels_ = std::max(levels_, chain.size());
    for (const Stream& stream : trace.streams()) {
        MpiSites& sites = of_stream_.emplace_back();
        for (const auto& [number, site] : stream.metadata.process->calls->sites)
            if (const MpiFunctionRow* function = function_named(site.function))
                sites[number] = {function, number_in(chains_, chain_of(stream, site))};
    }
}

std::string CallSites::text_of(const Caller& caller) const {
    const std::string &function = functions_[caller.function - 1], &line = lines_[caller.line - 1];
    return function == line ? line : function + ' ' + line;
}

std::string CallSites::text(uint32_t site) const {
    if (site == MpiCaller::unknown) return "unknown";
    std::string text;
    for (const Caller& caller : chains_[site - 1]) text += (text.empty() ? "" : ", ") + text_of(caller);
    return text;
}

std::string CallSites::line_of(uint32_t site) const {
    if (site == MpiCaller::unknown || chains_[site - 1].empty()) return "";
    return text_of(chains_[site - 1].front());
}

}  // namespace ovni
