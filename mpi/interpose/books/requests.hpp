// The requests of the process, from the call that makes a request to the call that ends it, in any threads.
// MPI reuses handles: a handle means the newest request that had it. MPI gives one shared handle to all
// requests that complete at once, with MPI_PROC_NULL or of short messages. If the shared handle is known
// (Open MPI), these requests end in the call that made them. In other libraries the first send with a handle
// is kept, and later sends with that handle end in the call that made them.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "mpi/interpose/books/communicators.hpp"
#include "mpi/interpose/books/objects.hpp"
#include "mpi/interpose/streams/moment.hpp"

namespace ovni::mpi {

// Whether the streams show that a request is pending. `no`: the account counts it once it has a message.
// `never`: the account counts it already, or it makes no message.
enum class Shown : uint8_t { never, no, yes };

enum class PostedKind : uint8_t { other, send, receive, transfer, communicator, collective, exchange };

struct Posted {
    uint32_t number = 0;
    PostedKind kind = PostedKind::other;
    bool persistent = false;
    bool active = true;  // a persistent request between start and completion
    bool cancelled = false;
    // Set for a persistent request, and for a receive that no stream shows.
    int32_t peer = 0, tag = 0;
    uint32_t communicator = 0;
    int32_t rank = 0;  // of this process in the communicator
    uint64_t communicator_id = 0;
    uint64_t bytes = 0;  // to send, or room of the receive of an exchange
    // For requests whose starts MXg counts: the number of the request among those with equal purpose, from 1,
    // and how often it was started. Other requests have the ordinal 0.
    uint32_t ordinal = 0, starts = 0;
    // The communicator that is being made, and where MPI will store its handle.
    Expected expected = {};
    const void* made = nullptr;
    bool in_fortran = false;
    Shown shown = Shown::never;
    uint16_t communicator_flags = 0;

    void set(const CommunicatorPlace& comm, int32_t from, int32_t its_tag) noexcept {
        peer = from, tag = its_tag;
        communicator = comm.number, rank = comm.rank;
        communicator_id = comm.id, communicator_flags = static_cast<uint16_t>(comm.flags);
    }
    bool receives() const noexcept { return kind == PostedKind::receive || kind == PostedKind::exchange; }
    CommunicatorPlace place() const noexcept {
        return {communicator_id, communicator, communicator_flags, rank};
    }
};

// True with MPI_THREAD_MULTIPLE: while a call completes a request, another thread may get its handle for a
// new one.
inline bool several_threads = true;

uint32_t next_request_number() noexcept;
uint32_t newest_request_number() noexcept;

// Counts the calls that make a persistent request for `purpose`, and returns the number of this one, from 1.
uint32_t count_made(uint64_t purpose) noexcept;

// Adds a request that a call has made. A request with a shared handle is recorded as ended.
void post(Moment& moment, MPI_Request request, const Posted& posted) noexcept;
// The number is 0 if the handle is not known.
Posted find_request(MPI_Request request) noexcept;
// Replaces the request, unless the handle already belongs to another request.
void update(MPI_Request request, const Posted& posted) noexcept;
void forget(MPI_Request request, const Posted& posted) noexcept;

// Returns whether the request is shown now, and sets it to `never`. `posted`: as the call that ends the
// request found it.
Shown take_shown(MPI_Request request, const Posted& posted) noexcept;
// Pending receives that no stream has shown, by number. The caller passes `first` to free().
struct HiddenReceives {
    Posted* first = nullptr;
    size_t count = 0;
    bool are_all = true;  // false: memory was short, and some stay as they are
};
// Returns these receives and marks them as shown. Call with an AccountLock held.
HiddenReceives take_hidden() noexcept;

// Keeps a message that a matched probe has found. The key is its handle.
void keep_message(MPI_Message message, uint32_t number) noexcept;
// The number of the message; 0 if it is not known.
uint32_t take_message(MPI_Message message) noexcept;

}  // namespace ovni::mpi
