// Finds what an event does by its code: one look into a table without collisions, made for the enabled
// models.
#pragma once

#include <cstdint>
#include <vector>

#include "emu/plan/plan.hpp"
#include "ovni/event_code.hpp"

namespace ovni {

class Emulator;
struct EventView;

// The logic of an event that tables cannot express. Throws Error, without place, if the event is not allowed.
using HookFunction = void (*)(Emulator& emulator, uint32_t thread, const EventView& event);

struct Hook {
    EventCode code;
    HookFunction run;
};

// All hooks of all models.
HookFunction find_hook(EventCode code);

// The work that an event means for the hot path. A step is a push or pop in a plain channel: see
// Tracker::is_plain(). A call is a push or pop of a function of MPI in a trace with call sites.
enum class OperationKind : uint8_t { step, change, call, hook, ignore, punctual };

struct Operation {
    uint32_t code = 0;
    uint32_t conditions = 0;  // of the thread, in which the event is allowed: see Condition
    union {
        int64_t value = 0;  // of a step, change or punctual state
        HookFunction hook;
    };
    uint16_t channel = 0;   // in Plan::channels, if there is a value
    uint16_t function = 0;  // in mpi_function_rows; of a call
    OperationKind kind = OperationKind::ignore;
    Action action = Action::ignore;
    int8_t levels = 0;  // of a step: +1 or -1
    Duplicates duplicates = Duplicates::forbidden;
};
static_assert(sizeof(Operation) <= 32);

class Dispatch {
 public:
    // `plain[c]`: true if pushes and pops of channel c may be steps.
    Dispatch(const Plan& plan, const std::vector<bool>& plain);
    // nullptr for an event that no enabled model has.
    const Operation* find(EventCode code) const {
        const Operation& operation = table_[slot(code.bits(), multiplier_)];
        return operation.code == code.bits() ? &operation : nullptr;
    }

 private:
    static constexpr unsigned slot_bits = 13;  // with 12 the search for a multiplier takes seconds
    static uint32_t slot(uint32_t code, uint32_t multiplier) { return code * multiplier >> (32 - slot_bits); }
    bool try_multiplier(const std::vector<Operation>& operations, uint32_t multiplier);

    uint32_t multiplier_ = 1;
    std::vector<Operation> table_;
};

}  // namespace ovni
