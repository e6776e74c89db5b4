// The places in the program that call MPI. If a call of a function comes from another site than the thread's
// last call of it, an MX@ with the number of the site precedes the enter event.
//
// A reader forgets sites at a gap, so they are recorded again after recording was off, and after events were
// lost. A flight recorder may drop any event, so there each call has its MX@.
#pragma once

#include <atomic>
#include <cstdint>

#include "mpi/interpose/streams/modules.hpp"
#include "mpi/interpose/streams/thread.hpp"
#include "ovni/emit.hpp"

namespace ovni::mpi {

// The number of callers that identify a site; 0: sites are not recorded.
inline std::atomic<uint8_t> call_site_levels{0};

// Reads OVNI_CALLSITES and OVNI_MPI_EVENTS. Reports invalid values.
void select_call_sites() noexcept;

void record_call_site_now(Thread& thread, Function function, uint64_t at) noexcept;

// Call after a gap in the stream.
inline void forget_call_sites(Thread& thread) noexcept {
    thread.sites.shown.fill(0);
}

inline uint32_t losses_of_stream() noexcept {
    const ovni_private_window* window = ovni_private_thread_window;
    return window ? __atomic_load_n(&window->losses, __ATOMIC_RELAXED) : 0;
}

// Call before the enter event.
[[gnu::always_inline]] inline void record_call_site(Thread& thread, Function function, uint64_t at) noexcept {
    if (call_site_levels.load(std::memory_order_relaxed) == 0) return;
    const DescribedSites& described = thread.sites;
    uint64_t difference =
        (described.shown[static_cast<uint16_t>(function)] ^ reinterpret_cast<uintptr_t>(thread.caller)) |
        (described.unloadings ^ unloadings.load(std::memory_order_relaxed)) |
        (described.losses ^ losses_of_stream());
    if (__builtin_expect(difference != 0, 0)) record_call_site_now(thread, function, at);
}

}  // namespace ovni::mpi
