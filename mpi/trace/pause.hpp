// The switch between recording and pausing, for all threads of the process. Each change has a number, odd
// ones begin a pause, and a clock. Threads see a change when they next call MPI, and then show it in their
// streams as if they had seen it at that clock.
#pragma once

#include <atomic>
#include <cstdint>

namespace ovni::mpi {

inline std::atomic<uint32_t> pause_count{0};  // number of the last change
inline constexpr uint32_t pauses_kept = 256;  // changes whose clocks are still known

constexpr bool is_pause(uint32_t change) {
    return change % 2 != 0;
}

// No effect where it is so already. Any thread.
void pause_recording() noexcept;
void resume_recording() noexcept;

// When a change happened; it must be one of the last `pauses_kept`.
uint64_t clock_of_change(uint32_t change) noexcept;

}  // namespace ovni::mpi
