// The moment at which a thread enters or leaves a function of MPI, and the events at it.
#pragma once

#include <cstdint>

#include "functions.hpp"
#include "mpi/interpose/streams/thread.hpp"
#include "ovni/emit.hpp"

namespace ovni::mpi {

// From now on the stream holds events that version 1.0.0 of the model lacks.
[[gnu::cold]] void require_version_of_details_now(Thread& thread) noexcept;
inline void require_version_of_details(Thread& thread) noexcept {
    if (!thread.has_details) [[unlikely]]
        require_version_of_details_now(thread);
}

// The stream holds a function of MPI 4, or what only these need.
[[gnu::cold]] void require_version_of_mpi_4_now(Thread& thread) noexcept;
inline void require_version_of_mpi_4(Thread& thread) noexcept {
    if (!thread.has_mpi_4) [[unlikely]]
        require_version_of_mpi_4_now(thread);
}

struct Moment {
    Thread& thread;
    Function function;
    bool recorded;  // if false, only the books are kept
    uint64_t at;

    // Writes a detail event.
    template <class... Arguments>
    void say(EventCode code, Arguments... arguments) noexcept {
        if (!recorded) return;
        require_version_of_details(thread);
        ovni::emit_at(code, at, arguments...);
    }
};

}  // namespace ovni::mpi
