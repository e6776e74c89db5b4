// The variables that select the recorded events, for all libraries.
#pragma once

#include <cstdlib>
#include <cstring>

namespace ovni {

inline bool is_set_to(const char* variable, const char* word) noexcept {
    const char* value = secure_getenv(variable);
    return value && strcmp(value, word) == 0;
}

// True if only events that the reference emulator knows are recorded: no counters, no locks, no CPUs, no
// details of MPI.
inline bool wants_reference_events() noexcept {
    return is_set_to("OVNI_MPI_EVENTS", "reference");
}

// True if the CPUs of threads are recorded.
inline bool wants_cpu_samples() noexcept {
    return !is_set_to("OVNI_CPU", "virtual") && !wants_reference_events();
}

}  // namespace ovni
