// OVNI_THREADS: which threads have rows.
#pragma once

namespace ovni::threads {

enum class Shown {
    mpi,      // those that call MPI, or emit events of their own
    program,  // all threads that the program makes, and the main thread
    all,      // those that the MPI library and the tracer make, too
};

// Read once. Anything unknown counts as the default, `program`; ovnirun refuses it.
Shown shown() noexcept;

}  // namespace ovni::threads
