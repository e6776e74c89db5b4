// The states of a thread in OpenMP constructs, and the events of the model `openmp` that enter and leave
// them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ovni/event_code.hpp"
#include "ovni/openmp_events.h"

namespace ovni::openmp {

enum class State : uint8_t {
    worker_loop,
    fork,
    part_of_region,
    task,
    work_loop,
    work_static,
    work_dynamic,
    work_sections,
    work_single,
    work_workshare,
    work_distribute,
    work_scope,
    work_taskloop,
    masked,
    barrier_plain,
    barrier_join,
    taskwait,
    taskgroup,
    reduction,
    critical_acquiring,
    critical_section,
    lock_acquiring,
    lock_holding,
    ordered_acquiring,
    ordered_section,
    atomic_acquiring,
    atomic_section
};

// The end of a construct is matched by the family of its state and a key within the family.
enum class Family : uint8_t { worker, fork, task, work, masked, sync, acquiring, holding };

struct StateRow {
    Family family;
    EventCode enter, leave;  // in the channel `subsystem`
    uint16_t number =
        0;  // of OVNI_OPENMP_LOOP and so on, part of the events; 0: events of the reference library
    bool is_counted = false;  // counters are read at its borders
};

constexpr EventCode enter_further = "PX[", leave_further = "PX]";

constexpr StateRow further(Family family, uint16_t number) {
    return {family, enter_further, leave_further, number};
}
constexpr StateRow counted(Family family, EventCode enter, EventCode leave) {
    return {family, enter, leave, 0, true};
}

// In the order of State.
inline constexpr StateRow state_rows[] = {
    {Family::worker, "PH[", "PH]"},
    {Family::fork, "PCf", "PCF"},
    counted(Family::task, "PMu", "PMU"),
    counted(Family::task, "PT[", "PT]"),
    further(Family::work, OVNI_OPENMP_LOOP),
    {Family::work, "PWs", "PWS"},
    {Family::work, "PWc", "PWC"},
    {Family::work, "PWe", "PWE"},
    {Family::work, "PWi", "PWI"},
    further(Family::work, OVNI_OPENMP_WORKSHARE),
    {Family::work, "PWd", "PWD"},
    further(Family::work, OVNI_OPENMP_SCOPE),
    further(Family::work, OVNI_OPENMP_TASKLOOP),
    further(Family::masked, OVNI_OPENMP_MASKED),
    counted(Family::sync, "PBb", "PBB"),
    counted(Family::sync, "PBj", "PBJ"),
    {Family::sync, "PTt", "PTT"},
    {Family::sync, "PTg", "PTG"},
    further(Family::sync, OVNI_OPENMP_REDUCTION),
    {Family::acquiring, "PIa", "PIA"},
    {Family::holding, "PI[", "PI]"},
    further(Family::acquiring, OVNI_OPENMP_LOCK_ACQUIRING),
    further(Family::holding, OVNI_OPENMP_LOCK_HOLDING),
    further(Family::acquiring, OVNI_OPENMP_ORDERED_ACQUIRING),
    further(Family::holding, OVNI_OPENMP_ORDERED_SECTION),
    further(Family::acquiring, OVNI_OPENMP_ATOMIC_ACQUIRING),
    further(Family::holding, OVNI_OPENMP_ATOMIC_SECTION),
};
static_assert(sizeof state_rows / sizeof *state_rows == static_cast<size_t>(State::atomic_section) + 1);

constexpr const StateRow& row_of(State state) {
    return state_rows[static_cast<size_t>(state)];
}

}  // namespace ovni::openmp
