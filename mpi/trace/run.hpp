// A run has a name, the same on all ranks, and a trace directory of its own: what an earlier run left there
// is moved out of the way.
#pragma once

namespace ovni::mpi {

struct RunName {
    static constexpr int most = 128;
    char text[most] = {};

    // OVNI_RUN, else made of the batch job, the time and this process.
    static RunName chosen_here() noexcept;
};

// Renames `directory` to `directory`.1, .2, ... where it holds a stream of a run of another name.
void move_older_trace(const char* directory, const RunName& run) noexcept;

}  // namespace ovni::mpi
