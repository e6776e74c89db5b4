// Barriers, waits for tasks, and mutual exclusion, as an OMPT runtime reports them.
#include "openmp/thread.hpp"
#include "openmp/tool.hpp"

namespace ovni::openmp {

namespace {

// The key of an end: runtimes may call a barrier by another kind when it ends.
enum class Wait : uint64_t { barrier, taskwait, taskgroup, reduction };

struct WaitRow {
    Wait wait;
    State state;
};

// In the order of kinds.
constexpr WaitRow wait_rows[] = {
    {Wait::barrier, State::barrier_plain},  // none
    {Wait::barrier, State::barrier_plain}, {Wait::barrier, State::barrier_plain},
    {Wait::barrier, State::barrier_plain}, {Wait::barrier, State::barrier_plain},
    {Wait::taskwait, State::taskwait},     {Wait::taskgroup, State::taskgroup},
    {Wait::reduction, State::reduction},   {Wait::barrier, State::barrier_plain},
    {Wait::barrier, State::barrier_join},  {Wait::barrier, State::barrier_plain},
};

const WaitRow& row_of_wait(int kind) {
    constexpr int kinds = sizeof wait_rows / sizeof *wait_rows;
    return wait_rows[kind > 0 && kind < kinds ? kind : 0];
}

// Older runtimes do not report which implicit barrier ends a region: it is the one that no call stands at,
// or, in the thread that made the region, the call of the region itself.
State state_of(int kind, const Thread& thread, const void* address) {
    if (kind != ompt::sync::barrier_implicit) return row_of_wait(kind).state;
    return !address || thread.is_place_of_region(address) ? State::barrier_join : State::barrier_plain;
}

void sync_region(int kind, int endpoint, ompt::Data*, ompt::Data*, const void* address) {
    Report report;
    if (!report) return;
    const auto key = static_cast<uint64_t>(row_of_wait(kind).wait);
    if (endpoint != ompt::endpoint::end)
        report->enter({.state = state_of(kind, report.thread(), address), .key = key});
    if (endpoint == ompt::endpoint::begin) return;
    report->end_with_region();
    report->leave(Family::sync, key);
}

void sync_region_wait(int, int endpoint, ompt::Data*, ompt::Data*, const void*) {
    Report report;
    if (!report) return;
    if (endpoint == ompt::endpoint::end) report->end_with_region();
    report->record_spin(endpoint == ompt::endpoint::begin);
}

struct MutexRow {
    State acquiring, holding;
};

// In the order of kinds.
constexpr MutexRow of_lock{State::lock_acquiring, State::lock_holding};
constexpr MutexRow mutex_rows[] = {
    of_lock,  // none
    of_lock,
    of_lock,
    of_lock,
    of_lock,
    {State::critical_acquiring, State::critical_section},
    {State::atomic_acquiring, State::atomic_section},
    {State::ordered_acquiring, State::ordered_section},
};

const MutexRow& row_of_mutex(int kind) {
    constexpr int kinds = sizeof mutex_rows / sizeof *mutex_rows;
    return mutex_rows[kind > 0 && kind < kinds ? kind : 0];
}

// There is no further word of a test that fails.
void mutex_acquire(int kind, unsigned, unsigned, uint64_t id, const void*) {
    if (kind == ompt::mutex::test_lock || kind == ompt::mutex::test_nest_lock) return;
    if (Report report; report) report->enter({.state = row_of_mutex(kind).acquiring, .key = id});
}

void mutex_acquired(int kind, uint64_t id, const void*) {
    Report report;
    if (!report) return;
    report->leave(Family::acquiring, id);
    report->enter({.state = row_of_mutex(kind).holding, .key = id});
}

void mutex_released(int, uint64_t id, const void*) {
    if (Report report; report) report->leave(Family::holding, id);
}

}  // namespace

std::span<const Callback> wait_callbacks() noexcept {
    static const Callback callbacks[] = {
        callback_of(ompt::callback::sync_region, sync_region),
        callback_of(ompt::callback::sync_region_wait, sync_region_wait),
        callback_of(ompt::callback::reduction, sync_region),
        callback_of(ompt::callback::mutex_acquire, mutex_acquire),
        callback_of(ompt::callback::mutex_acquired, mutex_acquired),
        callback_of(ompt::callback::mutex_released, mutex_released),
    };
    return callbacks;
}

}  // namespace ovni::openmp
