// The places in the program that call MPI. Before the event of entering a function stands an MX@ with the
// number of the site, if the last call of this function in this thread came from another one.
//
// A reader forgets sites at a gap, so they are recorded anew behind it: after recording was off, and after
// events were lost. A flight recorder may give up any event, so there each call has its MX@.
#pragma once

#include <atomic>
#include <cstdint>

#include "mpi/interpose/streams/modules.hpp"
#include "mpi/interpose/streams/thread.hpp"
#include "ovni/emit.hpp"

namespace ovni::mpi {

// How many callers make a site; 0: sites are not recorded.
inline std::atomic<uint8_t> call_site_levels{0};

// Reads OVNI_CALLSITES and OVNI_MPI_EVENTS. A value that means nothing is reported.
void select_call_sites() noexcept;

void tell_call_site_now(Thread& thread, Function function, uint64_t at) noexcept;

// The stream knows nothing of sites: it was not written for a while.
inline void forget_call_sites(Thread& thread) noexcept {
    thread.sites.shown.fill(0);
}

inline uint32_t losses_of_stream() noexcept {
    const ovni_private_window* window = ovni_private_thread_window;
    return window ? __atomic_load_n(&window->losses, __ATOMIC_RELAXED) : 0;
}

// Call before the event of entering.
[[gnu::always_inline]] inline void tell_call_site(Thread& thread, Function function, uint64_t at) noexcept {
    if (call_site_levels.load(std::memory_order_relaxed) == 0) return;
    const ToldSites& told = thread.sites;
    uint64_t difference =
        (told.shown[static_cast<uint16_t>(function)] ^ reinterpret_cast<uintptr_t>(thread.caller)) |
        (told.unloadings ^ unloadings.load(std::memory_order_relaxed)) | (told.losses ^ losses_of_stream());
    if (__builtin_expect(difference != 0, 0)) tell_call_site_now(thread, function, at);
}

}  // namespace ovni::mpi
