#include "emu/task_labels.hpp"

#include <algorithm>
#include <unordered_map>

#include "base/error.hpp"

namespace ovni {

namespace {

// Labels of one event type, with what stands there already.
class LabelSet {
 public:
    explicit LabelSet(EventType& type) : type_(type) {
        for (const auto& [value, label] : type.labels.all()) known_.emplace(value, label);
    }
    // False if the value has another label.
    bool add(int64_t value, const std::string& label) {
        auto [found, is_new] = known_.emplace(value, label);
        if (is_new) type_.labels.emplace_back(value, label);
        return found->second == label;
    }

 private:
    EventType& type_;
    std::unordered_map<int64_t, std::string> known_;
};

void add_to(FileSchema& file, uint16_t prv_type, char model, const std::vector<LabelledType>& types,
            std::string& fault) {
    auto found = std::ranges::find(file.types, prv_type, &EventType::type);
    if (found == file.types.end()) return;
    LabelSet labels(*found);
    for (const LabelledType& type : types)
        if (type.model == model && !labels.add(type.gid, type.label) && fault.empty())
            fault = fmt::format("two labels have the value {}: '{}' is not the first", type.gid, type.label);
}

}  // namespace

std::vector<LabelledType> labelled_types(Emulator& emulator, Moment end) {
    std::vector<LabelledType> types;
    for (const ModelPlan& model : emulator.plan().models)
        for (uint32_t p = 0; p < emulator.machine().system.processes().size(); ++p)
            for (const TaskType& type : emulator.tasks().types(p, model.spec->id))
                if (type.created <= end) types.push_back({p, model.spec->id, type.gid, type.label});
    return types;
}

std::vector<std::string> add_task_labels(Schema& schema, const Plan& plan, std::vector<LabelledType> types,
                                         Seen seen) {
    std::ranges::stable_sort(types, {}, &LabelledType::process);
    std::vector<std::string> faults;
    for (const ModelPlan& model : plan.models) {
        std::string fault;
        bool nosv = model.spec->id == 'V';
        for (const ChannelSpec& channel : model.spec->channels) {
            if (channel.labels != Labels::task_types || (nosv && seen == Seen::part)) continue;
            add_to(schema.thread, channel.prv_type, model.spec->id, types, fault);
            add_to(schema.cpu, channel.prv_type, model.spec->id, types, fault);
        }
        for (size_t b = 0; b < plan.breakdowns.size(); ++b)
            if (plan.breakdowns[b].model == model.spec)
                add_to(schema.breakdowns[b], plan.breakdowns[b].spec().prv_type, model.spec->id, types,
                       fault);
        // Labels of objects may be addresses, so many that two have one value.
        bool is_wrong = model.spec->id != 'H';
        if (is_wrong && !fault.empty())
            faults.push_back(fmt::format("task types of {}: {}", model.spec->name, fault));
    }
    return faults;
}

}  // namespace ovni
