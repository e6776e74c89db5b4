// Worlds that MPI_Comm_spawn starts. They do not inherit the environment of their parent. So the call gets
// one more info key, "env" of Open MPI: LD_PRELOAD, the directory and the name of the run, the parent
// (OVNI_SPAWNED), and the other variables OVNI_* as far as they fit into 255 characters. If the first four do
// not fit, the new world is not traced, which is reported. Other MPI libraries ignore the key: there the new
// world is traced if its environment loads the libraries.
//
// A spawned world belongs to the run. Its looms are `<loom>.world<n>`, because its ranks may have other CPUs
// of a host; n is the number of its job, which the launcher counts. Its app id is the last app id of the
// first world + n - 1; further programs of one MPI_Comm_spawn_multiple follow in steps of 1000. Its processes
// drain themselves, because there is no ovnirun. Its clocks are not measured.
//
// The id of the communicator between parent and child is made before the call and passed to the child, so no
// message is needed. Both sides know its members by that id, the side and the rank (Members::identify).
#pragma once

#include <mpi.h>

#include <cstdint>

#include "mpi/interpose/job/run.hpp"
#include "mpi/interpose/library/arguments.hpp"

namespace ovni::mpi {

// The origin of this world. A world of mpirun has no parent.
struct Birth {
    MPI_Comm parent;
    uint64_t id = 0;       // of the communicator with the parent; 0 if unknown
    int applications = 0;  // in the first world of the run; 0 if unknown
    uint32_t world = 1;    // its number among those of the run
    static Birth of_world() noexcept;

    // The app id of the program with that MPI_APPNUM.
    int app_id(int appnum) const noexcept;
};

// Sets the run that worlds started from now on get, besides the settings of the environment.
void remember_run(const RunName& run, int applications) noexcept;

// The infos of a call that spawns `count` programs.
class SpawnInfos {
 public:
    SpawnInfos() = default;
    SpawnInfos(const void* program, Language language) noexcept : passed_(program), language_(language) {}
    ~SpawnInfos();
    SpawnInfos(const SpawnInfos&) = delete;
    SpawnInfos& operator=(const SpawnInfos&) = delete;

    // Adds the variables of the new world to its infos. `id`: of the communicator between both worlds.
    void pass(int count, uint64_t id) noexcept;
    // The argument to pass to MPI.
    void* passed() const noexcept { return const_cast<void*>(passed_); }

 private:
    bool add(MPI_Info theirs, const char* environment) noexcept;
    bool pass_one(MPI_Info theirs, uint64_t id) noexcept;

    static constexpr int few = 4;
    const void* passed_ = nullptr;
    Language language_ = Language::c;
    int made_ = 0;
    CallArray<MPI_Info, few> own_;
    CallArray<MPI_Fint, few> own_in_fortran_;
};

}  // namespace ovni::mpi
