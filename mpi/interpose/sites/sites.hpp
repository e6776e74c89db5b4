// Calls of the program that chains of --control wait for, in C and Fortran, recorded or not:
//
//     pcontrol:TEXT[@LEVEL]        first of all in MPI_Pcontrol; any text that ends within 127 bytes counts
//     mpi:FUNCTION                 when a call begins, before its enter event
//     slowcall:FUNCTION:DURATION   when a call ends, behind its leave event
//
// Awaited calls are known when MPI_Init begins, and are part of the selection of functions. Calls before
// MPI_Init, after MPI_Finalize, and inside other calls (by MPI or a callback) do not count. If `mpi.h` does
// not declare an awaited function, one line in MPI_Init reports it.
#pragma once

#include <cstdint>

#include "functions.hpp"
#include "mpi/interpose/streams/selection.hpp"
#include "mpi/interpose/streams/thread.hpp"
#include "ovni/emit.hpp"

namespace ovni::mpi {

// Selects the functions that are awaited. Reports functions that the MPI of the build does not have.
void await_calls() noexcept;

// Opens the thread's stream if it has none: with the first stream the controller reads the chains, and counts
// hits for this thread.
void open_stream_for_controller() noexcept;

[[gnu::cold]] void hit_call(Function function) noexcept;
[[gnu::cold]] void hit_slow_call(Function function, uint64_t ns) noexcept;

// Lives while the end of a call is written. Its destructor reports the duration of the call.
class SlowSite {
 public:
    [[gnu::always_inline]] SlowSite(const Thread& thread, Function function, uint8_t selection) noexcept
        : function_(function), is_awaited_(selection & awaited_slow) {
        if (is_awaited_) [[unlikely]]
            ns_ = ovni::stream_now() - thread.entered_at;
    }
    [[gnu::always_inline]] ~SlowSite() {
        if (is_awaited_) [[unlikely]]
            hit_slow_call(function_, ns_);
    }
    SlowSite(const SlowSite&) = delete;
    SlowSite& operator=(const SlowSite&) = delete;

 private:
    Function function_;
    bool is_awaited_;
    uint64_t ns_ = 0;
};

}  // namespace ovni::mpi
