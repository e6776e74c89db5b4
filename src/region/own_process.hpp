// Facts of the calling process, from /proc.
#pragma once

#include <cstddef>

namespace ovni::region {

// True if this process only starts the job's programs: mpirun, or the daemon that Open MPI starts for a
// program without mpirun. Such a process inherits the tracer from its environment.
bool is_launcher() noexcept;

// True if ovnirun itself started this process; false if a program under ovnirun did, such as a shell.
bool is_started_by_ovnirun() noexcept;

// True if libovni-code.so was loaded with the program.
bool is_code_library_loaded() noexcept;

// The number of threads of the process without those of the tracer. 0: unknown.
size_t count_program_threads() noexcept;

}  // namespace ovni::region
