#include "messages/hybrid/state_uses.hpp"

#include <algorithm>
#include <iterator>

#include "ovni/openmp_events.h"

namespace ovni {

namespace {

constexpr int64_t further(int64_t number) {
    return OVNI_OPENMP_FIRST_VALUE + number - 1;
}

struct OpenMpState {
    int64_t value;
    InOpenMp place;
    Doing doing;
};

// A state that has no row belongs to a region, and its thread computes.
constexpr OpenMpState openmp_states[] = {
    {0, InOpenMp::outside, Doing::computing},
    {1, InOpenMp::in_loop_of_workers, Doing::idle},    // Barrier: Fork
    {2, InOpenMp::in_region, Doing::idle},             // Barrier: Join
    {3, InOpenMp::in_region, Doing::idle},             // Barrier: Plain
    {4, InOpenMp::in_region, Doing::idle},             // Barrier: Spin wait
    {5, InOpenMp::in_region, Doing::idle},             // Barrier: Task
    {6, InOpenMp::in_region, Doing::at_lock},          // Critical: Acquiring
    {22, InOpenMp::in_region, Doing::idle},            // Task: Taskgroup
    {23, InOpenMp::in_region, Doing::idle},            // Task: Taskwait
    {24, InOpenMp::in_region, Doing::idle},            // Task: Taskwait deps
    {26, InOpenMp::outside, Doing::computing},         // Runtime: Attached
    {27, InOpenMp::forking, Doing::beginning_region},  // Runtime: Fork call
    {28, InOpenMp::outside, Doing::computing},         // Runtime: Initialization
    {30, InOpenMp::in_own_part, Doing::computing},     // Runtime: User microtask
    {31, InOpenMp::in_loop_of_workers, Doing::idle},   // Runtime: Worker main loop
    {further(OVNI_OPENMP_LOCK_ACQUIRING), InOpenMp::in_region, Doing::at_lock},
    {further(OVNI_OPENMP_ORDERED_ACQUIRING), InOpenMp::in_region, Doing::at_lock},
    {further(OVNI_OPENMP_ATOMIC_ACQUIRING), InOpenMp::in_region, Doing::at_lock},
};

const OpenMpState* find_state(int64_t value) {
    const OpenMpState* found = std::ranges::find(openmp_states, value, &OpenMpState::value);
    return found == std::end(openmp_states) ? nullptr : found;
}

// In the order of values, from 0: nothing, mutex, two of read-write locks, spin lock, barrier, condition,
// thread, semaphore, once.
constexpr Doing posix_waits[] = {Doing::computing, Doing::at_lock,    Doing::at_lock, Doing::at_lock,
                                 Doing::at_lock,   Doing::at_barrier, Doing::asleep,  Doing::asleep,
                                 Doing::asleep,    Doing::at_lock};

}  // namespace

InOpenMp place_in_openmp(int64_t subsystem) {
    const OpenMpState* state = find_state(subsystem);
    return state ? state->place : InOpenMp::in_region;
}

Doing doing_in_openmp(int64_t subsystem) {
    const OpenMpState* state = find_state(subsystem);
    return state ? state->doing : Doing::computing;
}

Doing doing_in_posix_threads(int64_t wait) {
    return wait >= 0 && wait < std::ssize(posix_waits) ? posix_waits[wait] : Doing::computing;
}

}  // namespace ovni
