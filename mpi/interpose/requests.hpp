// What is known of the requests of the process, from the call that makes one to the one that ends it, in
// whatever threads. MPI uses handles again: who asks about a handle gets the newest request that had it. And
// it has one handle for all operations that were done at once, with MPI_PROC_NULL or of short messages: those
// are not kept, where that handle is known; elsewhere the first send of one handle is.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "mpi/interpose/moment.hpp"
#include "mpi/interpose/objects.hpp"

namespace ovni::mpi {

struct Posted {
    enum class Kind : uint8_t { other, send, receive, transfer, communicator };

    uint32_t number = 0;
    Kind kind = Kind::other;
    bool persistent = false;
    bool active = true;  // a persistent one between start and completion
    bool cancelled = false;
    // Of a persistent one, what is told when it is started.
    int32_t peer = 0, tag = 0;
    uint32_t communicator = 0;
    uint64_t bytes = 0;  // to send
    // Of a communicator that is being made, and where the program finds it then.
    Expected expected = {};
    const void* made = nullptr;
    bool in_fortran = false;
};

// MPI_THREAD_MULTIPLE: while a call completes a request, another thread may get its handle for a new one.
inline bool several_threads = true;

uint32_t next_request_number() noexcept;
uint32_t newest_request_number() noexcept;

// A call has made the request. One that shares its handle with others is done, and said to have ended.
void post(Moment& moment, MPI_Request request, const Posted& posted) noexcept;
// number 0 where the handle is not known.
Posted find_request(MPI_Request request) noexcept;
// What is known of it changes, unless the handle is already that of another one.
void update(MPI_Request request, const Posted& posted) noexcept;
void forget(MPI_Request request, const Posted& posted) noexcept;

// Messages that a matched probe has found, by their handles.
void keep_message(MPI_Message message, uint32_t number) noexcept;
// 0 where it is not known.
uint32_t take_message(MPI_Message message) noexcept;

}  // namespace ovni::mpi
