#include "sink/perfetto/perfetto_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/utf8.hpp"
#include "sink/all_labels.hpp"

namespace ovni {

namespace {

std::set<uint32_t> late_types(const Plan& plan) {
    std::set<uint32_t> types;
    for (const ModelPlan& model : plan.models)
        for (const ChannelSpec& channel : model.spec->channels)
            if (channel.labels == Labels::task_types) types.insert(channel.prv_type);
    return types;
}

constexpr uint64_t late_number(uint32_t type, int64_t value) {
    return (uint64_t{type} + 1) << 32 | static_cast<uint32_t>(value);
}

}  // namespace

PerfettoLabels::PerfettoLabels(const Plan& plan, std::vector<std::string> further) {
    for (std::string& name : further) first_.emplace_back(first_.size() + 1, std::move(name));
    const Schema schema = with_all_labels(plan);
    const std::set<uint32_t> late = late_types(plan);
    for (const EventType& type : schema.thread.types) {
        OfType& of_type = types_.emplace_back();
        of_type.has_late = late.contains(type.type);
        for (const auto& [value, label] : type.labels.all())
            if (of_type.numbers.emplace(value, first_.size() + 1).second)
                first_.emplace_back(first_.size() + 1, valid_utf8(label));
    }
}

PerfettoName PerfettoLabels::name_of(uint32_t type, int64_t value) {
    const OfType& of_type = types_[type];
    if (const auto known = of_type.numbers.find(value); known != of_type.numbers.end())
        return {known->second};
    if (!of_type.has_late || !std::in_range<uint32_t>(value)) return {0, fmt::format("{}", value)};
    const uint64_t number = late_number(type, value);
    used_late_.insert(number);
    return {number};
}

PerfettoNames PerfettoLabels::late(std::vector<uint64_t> numbers, const std::vector<EventType>& types) {
    std::ranges::sort(numbers);
    numbers.erase(std::ranges::unique(numbers).begin(), numbers.end());
    std::unordered_map<uint64_t, std::string_view> labels;
    for (uint32_t t = 0; t < types.size(); ++t)
        for (const auto& [value, label] : types[t].labels.all())
            if (std::in_range<uint32_t>(value)) labels.emplace(late_number(t, value), label);
    PerfettoNames names;
    for (uint64_t number : numbers) {
        const auto label = labels.find(number);
        names.emplace_back(number, label == labels.end() ? fmt::format("{}", static_cast<uint32_t>(number))
                                                         : valid_utf8(label->second));
    }
    return names;
}

}  // namespace ovni
