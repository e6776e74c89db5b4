#include "mpi/interpose/sites/control_starts.hpp"

#include <cerrno>
#include <cstdint>
#include <utility>

#include "ovni/private.h"

namespace ovni::mpi {

namespace {

struct Ranks {
    MPI_Comm comm;
    bool are_known;
};
Ranks ranks{};

}  // namespace

void prepare_control_starts(const PrivateComm& job) noexcept {
    int anybody = 0;
    if (!job.any(ovni_private_control_start() != OVNI_PRIVATE_START_NOT_NEEDED, anybody) || !anybody) return;
    int is_made = OVNI_PMPI(Comm_dup)(job.get(), &ranks.comm) == MPI_SUCCESS, is_missing = 1;
    ranks.are_known = job.any(!is_made, is_missing) && !is_missing;
}

void report_control_starts() noexcept {
    if (!std::exchange(ranks.are_known, false)) return;
    int saved = errno;
    const int own = ovni_private_control_start();
    const unsigned long mine[] = {own == OVNI_PRIVATE_START_SEEN, own == OVNI_PRIVATE_START_MISSING};
    unsigned long all[] = {0, 0};
    int rank = 0;
    OVNI_PMPI(Comm_rank)(ranks.comm, &rank);
    if (OVNI_PMPI(Allreduce)(mine, all, 2, type_unsigned_long(), op_sum(), ranks.comm) == MPI_SUCCESS)
        ovni_private_tell_control_starts(all[0], all[1], rank == 0);
    OVNI_PMPI(Comm_free)(&ranks.comm);
    errno = saved;
}

}  // namespace ovni::mpi
