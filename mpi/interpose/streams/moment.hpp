// The moment at which a thread enters or leaves an MPI function, and the events recorded then.
#pragma once

#include <cstdint>

#include "functions.hpp"
#include "mpi/interpose/streams/thread.hpp"
#include "ovni/emit.hpp"

namespace ovni::mpi {

// Call before the stream gets events that version 1.0.0 of the model lacks.
[[gnu::cold]] void require_version_of_details_now(Thread& thread) noexcept;
inline void require_version_of_details(Thread& thread) noexcept {
    if (!thread.has_details) [[unlikely]]
        require_version_of_details_now(thread);
}

// Call before the stream gets functions of MPI 4, or events that only these need.
[[gnu::cold]] void require_version_of_mpi_4_now(Thread& thread) noexcept;
inline void require_version_of_mpi_4(Thread& thread) noexcept {
    if (!thread.has_mpi_4) [[unlikely]]
        require_version_of_mpi_4_now(thread);
}

struct Moment {
    Thread& thread;
    Function function;
    bool recorded;  // if false, only the tables in `books` are updated
    uint64_t at;

    // Writes a detail event.
    template <class... Arguments>
    void record(EventCode code, Arguments... arguments) noexcept {
        if (!recorded) return;
        require_version_of_details(thread);
        ovni::emit_at(code, at, arguments...);
    }
};

}  // namespace ovni::mpi
