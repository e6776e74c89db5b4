// The tracer's own session, for programs that use MPI by sessions alone (MPI 4). They have no MPI_COMM_WORLD,
// but a group with its ranks, of which communicators can be made. The tracer's session ends before the
// program's last one.
#pragma once

#include <mpi.h>

namespace ovni::mpi {

// Call after the first MPI_Session_init if MPI_Init was not called. Returns false if MPI gives no session.
bool open_own_session() noexcept;
void close_own_session() noexcept;
bool has_own_session() noexcept;

// Collective over these ranks of the world. Returns false if the communicator could not be made.
bool make_in_own_session(const int* ranks, int count, MPI_Comm* comm) noexcept;

// The processes in the order of MPI_COMM_WORLD.
class WorldGroup {
 public:
    WorldGroup() noexcept;
    ~WorldGroup();
    WorldGroup(const WorldGroup&) = delete;
    WorldGroup& operator=(const WorldGroup&) = delete;
    operator MPI_Group() const noexcept { return group_; }

 private:
    MPI_Group group_{};
    bool is_shared_ = false;  // that of our session
};

}  // namespace ovni::mpi
