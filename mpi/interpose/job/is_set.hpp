// Switches in the environment: unset, empty and "0" mean no.
#pragma once

#include <stdlib.h>
#include <string.h>

namespace ovni::mpi {

inline bool is_set(const char* variable) noexcept {
    const char* value = secure_getenv(variable);
    return value && *value && strcmp(value, "0") != 0;
}

}  // namespace ovni::mpi
