// Waits in the synchronisation of one-sided communication, besides fences:
//
//     late post       last E of a post before L - E, of MPI_Win_start and MPI_Win_complete
//     late complete   last E of a complete before L - E, of MPI_Win_wait
//     lock            last E of an unlock of the target before L - E, of a call that locks, flushes or
//     unlocks
//
// E is the enter of a call, L its leave; only calls of other members between E and L count. All are upper
// bounds: groups of members and kinds of locks are not recorded.
#pragma once

#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "base/table_memory.hpp"
#include "messages/scan/object_calls.hpp"
#include "messages/waits/wait.hpp"

namespace ovni {

// A call that synchronises with members of the window. Plain data, that ranks exchange.
struct WindowCall {
    uint64_t communicator = 0;
    uint32_t scope = 0, turn = 0;  // of the window, as in MpiObject
    int64_t enter = 0, leave = 0;
    uint32_t stream = 0, process = 0;  // process: in System
    int32_t target = 0;                // rank in the communicator, see ovni/mpi_events.h
    uint16_t function = 0;             // in mpi_function_rows
    uint16_t padding = 0;

    // Equal for the calls of one window.
    auto window() const { return std::tuple(communicator, scope, turn); }
};

// Finds the calls with windows that all members know by one id, as far as the process recorded all its calls.
TableVector<WindowCall> window_calls(const FoundObjects& found);
// `calls`: all of one window, by enter.
std::vector<Wait> waits_at_window(std::span<const WindowCall> calls);

}  // namespace ovni
