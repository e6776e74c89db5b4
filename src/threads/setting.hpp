// OVNI_THREADS: which threads have rows.
#pragma once

namespace ovni::threads {

enum class Shown {
    mpi,      // threads that call MPI or emit events
    program,  // all threads that the program makes, and the main thread
    all,      // and the threads that the MPI library and the tracer make
};

// Read once. An unknown value counts as the default, `program`; ovnirun rejects it.
Shown shown() noexcept;

}  // namespace ovni::threads
