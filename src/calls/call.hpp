// Calls and requests of a process, as CallReader shows them to its consumers. Plain data. Times are corrected
// clocks in ns. Communicators, windows, files and requests have the numbers that the process gave them.
#pragma once

#include <cstdint>
#include <optional>

#include "mpi_function_rows.hpp"
#include "ovni/mpi_events.h"

namespace ovni {

// A call, as its enter describes it.
struct Call {
    const MpiFunctionRow* function = nullptr;  // null: no call is open
    int64_t enter = 0;
    uint64_t offset = 0;  // of its enter in the stream
    uint64_t sent =
        0;  // bytes by a collective, a one-sided call or the first half of an exchange; of I/O to transfer
    uint32_t object = OVNI_MPI_NO_OBJECT;        // communicator, window or file
    uint32_t communicator = OVNI_MPI_NO_OBJECT;  // the object; of a fence that of its window
    uint32_t request = 0;                        // that it posts, waits for or receives; 0: none, or many
    int32_t peer = OVNI_MPI_NOBODY, tag = OVNI_MPI_ANY, root = OVNI_MPI_ANY;
    uint32_t turn = 0;        // of a collective or a fence: its number on its communicator, from 1; else 0
    uint32_t collective = 0;  // of a collective: its number if fences do not count
    uint32_t site = 0;        // that it comes from, as MpiCaller has it
};

// A message, a collective, or a transfer of a window or a file that has begun and ends later. The request of
// an exchange both sends and receives.
struct Request {
    static constexpr uint64_t unknown_bytes = UINT64_MAX;
    static constexpr uint16_t no_function = UINT16_MAX;
    static constexpr uint32_t no_transfer = UINT32_MAX;

    int64_t order = 0;               // when it was posted, or a probe found its message
    int64_t posted = 0;              // the enter of the call that posts it
    int64_t left = 0;                // and its leave
    uint64_t bytes = unknown_bytes;  // that it sends; that a collective receives
    uint64_t sent = 0;               // by a collective
    uint64_t offset = 0;             // of the event that posts it
    uint32_t number = 0, stream = 0;
    uint32_t communicator = OVNI_MPI_NO_OBJECT;
    int32_t peer = OVNI_MPI_NOBODY, tag = OVNI_MPI_ANY, root = OVNI_MPI_ANY;
    // `turn` and `collective` are as in Call. For a persistent collective or a partitioned message `turn`
    // counts the starts of the request instead, and `made` is the number of the request among those of its
    // kind on the communicator; otherwise `made` is 0.
    uint32_t turn = 0, made = 0, collective = 0;
    uint32_t transfer = no_transfer;  // a number that the consumer of transfers keeps here
    uint16_t function = no_function;  // that posts it, in mpi_function_rows
    bool sends : 1 = false, receives : 1 = false, is_collective : 1 = false, is_transfer : 1 = false;
    bool is_found : 1 = false;       // a probe has found its message
    bool is_unrecorded : 1 = false;  // the call that posts it
};

// The message of a receive.
struct ReceivedMessage {
    std::optional<uint64_t> bytes;
    std::optional<int32_t> peer, tag;
};

// The end of a call, as its leave describes it.
struct Return {
    int64_t clock = 0;
    uint64_t offset = 0;            // in the stream
    std::optional<uint64_t> bytes;  // missing: the call failed, or its function records none
    int32_t peer = OVNI_MPI_NOBODY, tag = OVNI_MPI_ANY;  // of the message that it received or found
    uint32_t object = OVNI_MPI_NO_OBJECT;                // that it made
    uint32_t request = 0;                                // that it made; 0: none
    const Request* found = nullptr;  // of a matched receive: its message, if a probe was seen to find it
    Request* transfer = nullptr;     // the request of a transfer that it began
};

// A thread of the process.
struct CallThread {
    uint32_t stream = 0;
    uint32_t index = 0;              // among the threads of the process, as they come
    Call call;                       // the innermost that is open
    int64_t now = 0;                 // its last event of MPI
    int64_t until = 0;               // its last event
    int64_t resumed_at = INT64_MIN;  // the end of the last gap
    uint16_t outermost = 0;          // function of the outermost call, if `depth` is not 0
    uint32_t depth = 0;              // of calls
    bool is_cut = false;             // its program ended without ending it
    bool is_damaged = false;         // events are missing behind the last one
    bool has_collectives = false;
};

}  // namespace ovni
