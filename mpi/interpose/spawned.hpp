// Worlds that MPI_Comm_spawn starts. They do not inherit the environment of their parent, so the call gets
// one more word in its infos, "env" of Open MPI: the libraries to load, where the trace goes, and who the
// parent is.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "mpi/interpose/arguments.hpp"
#include "mpi/interpose/run.hpp"

namespace ovni::mpi {

// What this world knows of its birth. A world of mpirun has no parent.
struct Birth {
    MPI_Comm parent;
    uint64_t id = 0;       // of the communicator with the parent; 0 where the parent did not tell
    int applications = 0;  // in the first world of the run; 0 where the parent did not tell
    uint32_t world = 1;    // its number among those of the run
    static Birth of_world() noexcept;

    // The app id of the program with that MPI_APPNUM.
    int app_id(int appnum) const noexcept;
};

// What worlds that start from now on are told, with the settings of the environment.
void remember_run(const RunName& run, int applications) noexcept;

// The infos of a call that spawns `count` programs.
class SpawnInfos {
 public:
    SpawnInfos() = default;
    SpawnInfos(const void* program, Language language) noexcept : passed_(program), language_(language) {}
    ~SpawnInfos();
    SpawnInfos(const SpawnInfos&) = delete;
    SpawnInfos& operator=(const SpawnInfos&) = delete;

    // From now on what is passed tells the new world of this one; `id` is that of the communicator with it.
    void tell(int count, uint64_t id) noexcept;
    // What the call gets.
    void* passed() const noexcept { return const_cast<void*>(passed_); }

 private:
    bool add(MPI_Info theirs, const char* environment) noexcept;

    static constexpr int few = 4;
    const void* passed_ = nullptr;
    Language language_ = Language::c;
    int made_ = 0;
    CallArray<MPI_Info, few> own_;
    CallArray<MPI_Fint, few> own_in_fortran_;
};

}  // namespace ovni::mpi
