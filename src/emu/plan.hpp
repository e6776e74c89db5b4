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
    // Far fewer than 2^16: some per model, and 100 types of marks at most.
    uint16_t channel_count() const { return static_cast<uint16_t>(channels.size()); }
};

// Throws Error for a stream that requires an incompatible version, and for marks that contradict each other.
Plan make_plan(const Trace& trace, const System& system, EnabledModels enabled);

// Values beyond the reference's are labelled only where lines of this trace carry them: when each was first
// shown.
struct ShownExtras {
    static constexpr int64_t never = INT64_MAX;
    // By what: not traced; then by channel bad; then by channel too many threads. Flat, so that ranks can
    // take the least.
    std::vector<int64_t> first;

    explicit ShownExtras(size_t channels) : first(1 + 2 * channels, never), channels_(channels) {}
    int64_t& not_traced() { return first[0]; }
    int64_t& bad(size_t channel) { return first[1 + channel]; }
    int64_t& too_many_threads(size_t channel) { return first[1 + channels_ + channel]; }

 private:
    size_t channels_;
};
// Adds the labels of what was shown up to `duration`.
void add_labels(Schema& schema, const Plan& plan, ShownExtras extras, int64_t duration);

}  // namespace ovni
