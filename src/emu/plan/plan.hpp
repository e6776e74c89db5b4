// The plan of an emulation: the enabled models, the channels that every thread and CPU row has, and the
// schema of the outputs. It is equal on all ranks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "emu/plan/system.hpp"
#include "emu/records/record.hpp"
#include "emu/records/schema.hpp"
#include "emu/records/value.hpp"
#include "model/model_spec.hpp"
#include "source/call_sites.hpp"

namespace ovni {

// PRV types of the rows' own channels, besides those of models.
namespace prv_type {
inline constexpr uint16_t pid = 1, tid = 2, running_threads = 3, thread_state = 4, cpu = 6;
// Types of models.
inline constexpr uint16_t mpi_function = 25, openmp_subsystem = 50, openmp_region = 54, posix_wait = 310;
inline constexpr uint16_t first_mark = 100, first_counter = 200, call_site = 300, wait_state = 320,
                          critical_path = 321, first_instant = 400;
// In PRV, call sites are shown by these types, as other tools do: added to them is the level, from 1.
inline constexpr uint32_t caller = 70000000, caller_line = 80000000;
}  // namespace prv_type

// Values of this project that no model has; labelled only if they are shown.
namespace shown_value {
inline constexpr int64_t not_traced = 6;          // thread state: nothing was recorded
inline constexpr int64_t bad = 666;               // a CPU whose only thread does not show this channel
inline constexpr int64_t too_many_threads = 777;  // a physical CPU with more than one running thread
}  // namespace shown_value

// A channel of every thread, and of every CPU row.
struct ChannelPlan {
    enum class Punctual : uint8_t { no, yes };
    enum class ZeroLegal : uint8_t { no, yes };
    std::string name;
    ChannelKind kind = ChannelKind::single;
    Punctual punctual = Punctual::no;  // yes: it has a punctual state
    Duplicates duplicates = Duplicates::forbidden;
    Tracking tracking = Tracking::any;
    Tracking cpu_tracking = Tracking::running;
    Repeats repeats = Repeats::skip;
    ZeroLegal zero = ZeroLegal::no;
    uint8_t breakdown = no_breakdown;  // in Plan::breakdowns: the one that the channel is part of
    uint16_t prv_type = 0;
    uint32_t first_further = 0;  // its first further state, counted over all channels
    Value initial = {};          // of every thread before its first event
    Value cpu_default = {};      // of a CPU row while no thread runs
    DisabledState disabled = {};
    FurtherStates further = {};  // values that a hook sets
    static constexpr uint8_t no_breakdown = 0xff;
};
static_assert(sizeof(ChannelPlan) <= 128);  // loops over all channels are quick to find the next

struct ModelPlan {
    const ModelSpec* spec = nullptr;
    uint16_t first_channel = 0;  // in Plan::channels
};

// A breakdown output: see BreakdownSpec. Channels are those of the plan.
struct BreakdownPlan {
    const ModelSpec* model = nullptr;
    uint16_t base = 0, detail = 0, idle = no_channel;
    static constexpr uint16_t no_channel = 0xffff;
    const BreakdownSpec& spec() const { return *model->breakdown; }
};

// A type of the model `counters`: values of an instant, which are no states of a channel.
struct InstantPlan {
    std::string name;     // of the counter
    uint32_t number = 0;  // EventType::number; the type is prv_type::first_instant + its place
};

enum class EnabledModels { required, all };
enum class Breakdowns { no, yes };

struct Plan {
    std::vector<ModelPlan> models;  // ascending by id
    std::vector<ChannelPlan> channels;
    static constexpr uint16_t no_channel = 0xffff;
    std::vector<uint16_t> mark_channels;  // by mark type; no_channel if there is no such type
    uint16_t first_counter = 0;           // channel of the first hardware counter
    std::vector<std::string> counters;
    std::vector<InstantPlan> instants;               // ascending by number
    std::vector<std::vector<uint16_t>> counters_of;  // by stream, then by place in it: types
    uint16_t memory_type = 0;                        // of the resident memory; the next type is its maximum
    std::vector<BreakdownPlan> breakdowns;           // one for each of Schema::breakdowns
    CallSites call_sites;
    uint16_t site_channel = no_channel;  // where call sites are shown, if the trace has any
    Schema schema;

    const ModelPlan* find(char model) const;
    // Throws Error if the mark type is not defined.
    uint16_t mark_channel(int type) const {
        auto index = static_cast<size_t>(type);  // too large if the type is negative
        if (index >= mark_channels.size() || mark_channels[index] == no_channel) unknown_mark(type);
        return mark_channels[index];
    }
    [[noreturn]] static void unknown_mark(int type);
    // Further states of all channels.
    uint32_t further_count() const {
        size_t count = 0;
        for (const ChannelPlan& channel : channels) count += channel.further.labels.size();
        return static_cast<uint32_t>(count);
    }
    // Far fewer than 2^16: some per model, 100 types of marks and 100 hardware counters at most.
    uint16_t channel_count() const { return static_cast<uint16_t>(channels.size()); }
};

// Throws Error for a stream that requires an incompatible version, for marks or hardware counters that
// contradict each other, and for a stream that does not say whether it is suited for a breakdown.
Plan make_plan(const Trace& trace, const System& system, EnabledModels enabled, Breakdowns breakdowns,
               CallSites call_sites = {});

// Values beyond the reference's are labelled only if lines of this trace carry them. This class notes when
// each was first shown.
class ShownExtras {
 public:
    static constexpr Moment never = {INT64_MAX, UINT32_MAX};

    explicit ShownExtras(const Plan& plan)
        : first_(1 + 3 * plan.channels.size() + plan.further_count(), never),
          channels_(plan.channels.size()) {}
    static constexpr size_t not_traced = 0;
    size_t bad(size_t channel) const { return 1 + channel; }
    size_t too_many_threads(size_t channel) const { return 1 + channels_ + channel; }
    size_t disabled(size_t channel) const { return 1 + 2 * channels_ + channel; }
    // `number`: of a further state, counted over all channels.
    size_t further(size_t number) const { return 1 + 3 * channels_ + number; }

    void note(size_t what, Moment moment) { first_[what] = std::min(first_[what], moment); }
    // Element i is 1 if extra value i was shown up to `end`, else 0. Combine ranks with Op::max.
    std::vector<int64_t> until(Moment end) const;

 private:
    std::vector<Moment> first_;
    size_t channels_;
};
void add_labels(Schema& schema, const Plan& plan, const std::vector<int64_t>& shown);

}  // namespace ovni
