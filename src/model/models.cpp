#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/model_spec.hpp"

namespace ovni {

namespace {

// EventSpec points to its texts, so a row that a StateRule expands to owns its description.
struct Expanded {
    std::string description;
    EventSpec spec;
};

struct Union {
    std::vector<std::unique_ptr<Expanded>> expanded;
    std::map<char, std::vector<EventEntry>> by_model;
    std::map<uint32_t, EventEntry> by_code;

    void add(const ModelSpec& model, const EventSpec& event) {
        EventEntry entry{&model, &event, parse_signature(event.signature).signature};
        by_model[model.id].push_back(entry);
        by_code.emplace(entry.signature.code.bits(), entry);
    }
    void expand(const ModelSpec& model, std::string_view code, std::string description, Action action,
                uint8_t channel, int64_t value) {
        if (code.empty()) return;
        auto row = std::make_unique<Expanded>();
        row->description = std::move(description);
        row->spec = {.signature = code,
                     .description = row->description,
                     .action = action,
                     .channel = channel,
                     .value = value};
        add(model, row->spec);
        expanded.push_back(std::move(row));
    }
    explicit Union(std::span<const ModelSpec* const> models) {
        for (const ModelSpec* model : models) {
            for (size_t c = 0; c < model->channels.size(); ++c)
                expand_channel(*model, static_cast<uint8_t>(c));
            for (auto listed : {EventSpec::Listed::yes, EventSpec::Listed::no})
                for (const EventSpec& event : model->events)
                    if (event.listed == listed) add(*model, event);
        }
    }
    void expand_channel(const ModelSpec& model, uint8_t c) {
        const ChannelSpec& channel = model.channels[c];
        bool stack = channel.kind == ChannelKind::stack;
        std::map<int64_t, std::string> labels;
        for (const StateRule& rule : channel.states)
            if (!rule.label.empty()) labels[rule.value] = rule.label;
        for (const StateRule& rule : channel.states) {
            const std::string& label = labels[rule.value];
            if (is_punctual(channel, rule)) {
                expand(model, rule.enter, "instant: " + label, Action::punctual, c, rule.value);
                continue;
            }
            expand(model, rule.enter, (stack ? "begin: " : "") + label, stack ? Action::push : Action::set, c,
                   rule.value);
            expand(model, rule.leave, "end: " + label, stack ? Action::pop : Action::clear, c, rule.value);
        }
    }
};

const Union& all() {
    static const Union tables(all_models());
    return tables;
}

}  // namespace

const ModelSpec* find_model(char id) {
    for (const ModelSpec* model : all_models())
        if (model->id == id) return model;
    return nullptr;
}

const ModelSpec* find_model(std::string_view name) {
    for (const ModelSpec* model : all_models())
        if (model->name == name) return model;
    return nullptr;
}

const EventEntry& find_event(EventCode code) {
    static const EventEntry none;
    auto found = all().by_code.find(code.bits());
    return found == all().by_code.end() ? none : found->second;
}

std::span<const EventEntry> events_of(const ModelSpec& model) {
    return all().by_model.at(model.id);
}

std::span<const EventEntry> listed_events_of(const ModelSpec& model) {
    auto events = events_of(model);
    auto listed = std::ranges::find_if(
        events, [](const EventEntry& e) { return e.event->listed == EventSpec::Listed::no; });
    return events.first(static_cast<size_t>(listed - events.begin()));
}

}  // namespace ovni
