// Whether this process records OpenMP, as OVNI_OPENMP says.
#pragma once

namespace ovni::openmp {

// False with OVNI_OPENMP=off, and while the tools that the user has named in OMP_TOOL_LIBRARIES have not been
// asked: a runtime that meets this library first, because it is preloaded, asks it first.
bool tool_is_wanted() noexcept;

// False with OVNI_OPENMP=off.
bool is_wanted() noexcept;

}  // namespace ovni::openmp
