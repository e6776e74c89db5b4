#include "mpi/interpose/library/own_session.hpp"

#include <atomic>

#include "mpi/interpose/library/pmpi.hpp"
#include "mpi/interpose/library/predefined.hpp"

namespace ovni::mpi {

namespace {

std::atomic<bool> session_is_open{false};
MPI_Group members;

#if MPI_VERSION >= 4
MPI_Session session;

bool open() noexcept {
    if (OVNI_PMPI(Session_init)(info_null(), errors_return(), &session) != MPI_SUCCESS) return false;
    if (OVNI_PMPI(Group_from_session_pset)(session, "mpi://WORLD", &members) == MPI_SUCCESS) return true;
    OVNI_PMPI(Session_finalize)(&session);
    return false;
}

void close() noexcept {
    OVNI_PMPI(Group_free)(&members);
    OVNI_PMPI(Session_finalize)(&session);
}

bool make_of(MPI_Group group, MPI_Comm* comm) noexcept {
    return OVNI_PMPI(Comm_create_from_group)(group, "org.ovni-mpi", info_null(), errors_return(), comm) ==
           MPI_SUCCESS;
}
#else
bool open() noexcept {
    return false;
}

void close() noexcept {}

bool make_of(MPI_Group, MPI_Comm*) noexcept {
    return false;
}
#endif

}  // namespace

bool open_own_session() noexcept {
    session_is_open.store(open(), std::memory_order_release);
    return has_own_session();
}

void close_own_session() noexcept {
    if (session_is_open.exchange(false)) close();
}

bool has_own_session() noexcept {
    return session_is_open.load(std::memory_order_acquire);
}

bool make_in_own_session(const int* ranks, int count, MPI_Comm* comm) noexcept {
    MPI_Group some;
    if (OVNI_PMPI(Group_incl)(members, count, ranks, &some) != MPI_SUCCESS) return false;
    const bool made = make_of(some, comm);
    OVNI_PMPI(Group_free)(&some);
    return made;
}

WorldGroup::WorldGroup() noexcept : is_shared_(has_own_session()) {
    if (is_shared_)
        group_ = members;
    else
        OVNI_KNOWN_PMPI(Comm_group)(comm_world(), &group_);
}

WorldGroup::~WorldGroup() {
    if (!is_shared_) OVNI_KNOWN_PMPI(Group_free)(&group_);
}

}  // namespace ovni::mpi
