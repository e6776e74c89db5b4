// Whether this process records OpenMP, from OVNI_OPENMP.
#pragma once

namespace ovni::openmp {

// False with OVNI_OPENMP=off, and while the runtime has not tried the user's tools in OMP_TOOL_LIBRARIES: it
// may find this library first, because it is preloaded.
bool tool_is_wanted() noexcept;

// False with OVNI_OPENMP=off.
bool is_wanted() noexcept;

}  // namespace ovni::openmp
