#include "mpi/trace/pause.hpp"

#include <algorithm>

#include "mpi/trace/spin_lock.hpp"
#include "ovni/emit.hpp"

namespace ovni::mpi {

namespace {

SpinLock changing;
std::atomic<uint64_t> clocks[pauses_kept];

void change(bool to_pause) noexcept {
    SpinLock::Guard guard(changing);
    uint32_t last = pause_count.load(std::memory_order_relaxed);
    if (is_pause(last) == to_pause) return;
    uint64_t at = std::max<uint64_t>(ovni::now(), clock_of_change(last));
    clocks[(last + 1) % pauses_kept].store(at, std::memory_order_relaxed);
    pause_count.store(last + 1, std::memory_order_release);
}

}  // namespace

void pause_recording() noexcept {
    change(true);
}

void resume_recording() noexcept {
    change(false);
}

uint64_t clock_of_change(uint32_t change) noexcept {
    return clocks[change % pauses_kept].load(std::memory_order_relaxed);
}

}  // namespace ovni::mpi
