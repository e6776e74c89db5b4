// What is emulated and what can be seen of it: the enabled models, the channels that every thread and CPU row
// has, and the schema of the outputs. The same on every rank.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "emu/schema.hpp"
#include "emu/system.hpp"
#include "model/model_spec.hpp"

namespace ovni {

// PRV types of the rows' own channels, beside those of models.
namespace prv_type {
inline constexpr uint16_t pid = 1, tid = 2, running_threads = 3, thread_state = 4, cpu = 6, first_mark = 100;
}

// Values of ours that no model has; labelled only where they are shown.
namespace shown_value {
inline constexpr int64_t not_traced = 6;          // thread state: nothing was recorded
inline constexpr int64_t bad = 666;               // a CPU whose only thread does not show this channel
inline constexpr int64_t too_many_threads = 777;  // a physical CPU with more than one running thread
}  // namespace shown_value

// One channel of every thread, and of every CPU row.
struct ChannelPlan {
    enum class Kind : uint8_t { single, stack, punctual };
    enum class ZeroLegal : uint8_t { no, yes };
    std::string name;
    Kind kind = Kind::single;
    Duplicates duplicates = Duplicates::forbidden;
    Tracking tracking = Tracking::any;
    Tracking cpu_tracking = Tracking::running;
    Repeats repeats = Repeats::skip;
    ZeroLegal zero = ZeroLegal::no;
    uint16_t prv_type = 0;
};

struct ModelPlan {
    const ModelSpec* spec = nullptr;
    uint16_t first_channel = 0;  // in Plan::channels
};

struct MarkPlan {
    int type = 0;
    uint16_t channel = 0;
};

enum class EnabledModels { required, all };

struct Plan {
    std::vector<ModelPlan> models;  // ascending by id
    std::vector<ChannelPlan> channels;
    std::vector<MarkPlan> marks;  // in order of first definition
    Schema schema;

    const ModelPlan* find(char model) const;
};

// Throws Error for a stream that requires an incompatible version, and for marks that contradict each other.
Plan make_plan(const Trace& trace, const System& system, EnabledModels enabled);

// Which values beyond the reference's the lines of this trace carry: adds their labels to the schema.
struct ShownExtras {
    bool not_traced = false;
    std::vector<uint8_t> bad, too_many_threads;  // by channel: 1 where shown
    explicit ShownExtras(const Plan& plan)
        : bad(plan.channels.size()), too_many_threads(plan.channels.size()) {}
    ShownExtras() = default;
};
void add_labels(Schema& schema, const Plan& plan, const ShownExtras& extras);

}  // namespace ovni
