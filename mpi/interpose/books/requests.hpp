// The requests of the process, from the call that makes one to the one that ends it, in any threads. MPI uses
// handles again: a handle means the newest request that had it. MPI gives one handle to all requests that
// were done at once, with MPI_PROC_NULL or of short messages. If that handle is known (Open MPI), these
// requests end in the call that made them; elsewhere all sends of one handle but the first do.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "mpi/interpose/books/communicators.hpp"
#include "mpi/interpose/books/objects.hpp"
#include "mpi/interpose/streams/moment.hpp"

namespace ovni::mpi {

// Do the streams show that a request is under way? If not, it counts as unrecorded once it has a message; one
// that never counts does so already, or makes no message.
enum class Shown : uint8_t { never, no, yes };

enum class PostedKind : uint8_t { other, send, receive, transfer, communicator, collective, exchange };

struct Posted {
    uint32_t number = 0;
    PostedKind kind = PostedKind::other;
    bool persistent = false;
    bool active = true;  // a persistent request between start and completion
    bool cancelled = false;
    // Those of a persistent request, and of a receive that no stream shows.
    int32_t peer = 0, tag = 0;
    uint32_t communicator = 0;
    int32_t rank = 0;  // of the process there
    uint64_t communicator_id = 0;
    uint64_t bytes = 0;  // to send, or room of the receive of an exchange
    // A request whose starts MXg counts: which it is of those made for its purpose, from 1, and how often it
    // was started. Others have the ordinal 0.
    uint32_t ordinal = 0, starts = 0;
    // The communicator that is being made, and the place where the program finds it then.
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

// MPI_THREAD_MULTIPLE: while a call completes a request, another thread may get its handle for a new one.
inline bool several_threads = true;

uint32_t next_request_number() noexcept;
uint32_t newest_request_number() noexcept;

// The how manieth call this is that makes a persistent request for that, from 1.
uint32_t count_made(uint64_t purpose) noexcept;

// Adds a request that a call has made. A request that shares its handle with others is recorded as ended.
void post(Moment& moment, MPI_Request request, const Posted& posted) noexcept;
// The number is 0 if the handle is not known.
Posted find_request(MPI_Request request) noexcept;
// Replaces the request, unless the handle is already that of another one.
void update(MPI_Request request, const Posted& posted) noexcept;
void forget(MPI_Request request, const Posted& posted) noexcept;

// The request, as it was known to the call that ends it, is shown now. Afterwards it never is.
Shown take_shown(MPI_Request request, const Posted& posted) noexcept;
// Receives under way that no stream has shown, by number. `first` is to be given to free().
struct HiddenReceives {
    Posted* first = nullptr;
    size_t count = 0;
    bool are_all = true;  // false: memory was short, and some stay as they are
};
// They count as shown from now on. Call with an AccountLock.
HiddenReceives take_hidden() noexcept;

// Keeps a message that a matched probe has found, by its handle.
void keep_message(MPI_Message message, uint32_t number) noexcept;
// The number of the message; 0 if it is not known.
uint32_t take_message(MPI_Message message) noexcept;

}  // namespace ovni::mpi
