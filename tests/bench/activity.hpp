// The activities of threads of a generated trace: regions that are entered and left, and tasks, per event
// model. A small choice of the events of each model, kept apart from the tables in src/model so that traces
// stay comparable while those grow.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ovni/event_code.hpp"

namespace ovni::bench {

struct Region {
    EventCode enter, leave;
    int64_t mark = 0;  // of marks: the value, which both events carry
};

enum class TaskPayload : uint8_t { id, id_and_body };  // of execute, end, pause, resume

struct TaskEvents {
    EventCode type, create, execute, end, pause, resume;
    TaskPayload payload = TaskPayload::id;
};

struct Activity {
    std::string_view model, version;
    std::span<const Region> regions;
    const TaskEvents* tasks = nullptr;  // nullptr: none
};

inline constexpr int32_t mark_type = 1;
inline constexpr int64_t mark_values = 8;  // marks have the values 1 to 8

// All activities; nullptr for a model without one.
std::span<const Activity> all_activities();
const Activity* find_activity(std::string_view model);

}  // namespace ovni::bench
