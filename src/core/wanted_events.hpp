// The variables that say which events a program records, for all libraries alike.
#pragma once

#include <cstdlib>
#include <cstring>

namespace ovni {

inline bool is_set_to(const char* variable, const char* word) noexcept {
    const char* value = secure_getenv(variable);
    return value && strcmp(value, word) == 0;
}

// Nothing that the reference emulator does not know: no counters, no locks, no CPUs, no details of MPI.
inline bool wants_reference_events() noexcept {
    return is_set_to("OVNI_MPI_EVENTS", "reference");
}

// The CPUs that threads run on.
inline bool wants_cpu_samples() noexcept {
    return !is_set_to("OVNI_CPU", "virtual") && !wants_reference_events();
}

}  // namespace ovni
