#include "mpi/trace/agreement.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "mpi/trace/report.hpp"
#include "mpi/trace/selection.hpp"
#include "mpi/trace/sites.hpp"
#include "mpi/trace/spin_lock.hpp"
#include "ovni/private.h"

namespace ovni::mpi {

namespace {

Report not_possible{"--control: ranks cannot agree on regions of the job: %s"};
Report never_agreed{
    "--control: an alarm of scope job fired, but fewer than two blocking collectives on %s came after it: "
    "not all ranks switched"};

// Programs make the collectives of a communicator one after the other, so there is one sum at a time.
struct Agreement {
    MPI_Comm comm;
    SpinLock lock;  // of `pending`
    MPI_Request pending;
    uint64_t wish, sum;
    uint64_t newest;  // that took effect
};
Agreement agreement{};
std::atomic<bool> is_prepared{false};

// Completes what was begun; 0 where there is no wish.
uint64_t result_of_pending() noexcept {
    MPI_Request request;
    {
        SpinLock::Guard guard(agreement.lock);
        request = std::exchange(agreement.pending, request_null());
    }
    if (request == request_null()) return 0;
    if (OVNI_KNOWN_PMPI(Wait)(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS) return agreement.sum;
    not_possible.once("a message failed");
    return 0;
}

void combine_wishes() noexcept {
    agreement.wish = ovni_private_job_wish();
    MPI_Request request = request_null();
    int error = OVNI_KNOWN_PMPI(Iallreduce)(&agreement.wish, &agreement.sum, 1, type_unsigned_long(),
                                            op_max(), agreement.comm, &request);
    if (error != MPI_SUCCESS) return not_possible.once("a message failed");
    SpinLock::Guard guard(agreement.lock);
    agreement.pending = request;
}

}  // namespace

void prepare_agreement(PrivateComm& job) noexcept {
    static_assert(sizeof(unsigned long) == sizeof(uint64_t));
    int anybody = 0;
    if (!job.any(ovni_private_is_job_scope(), anybody) || !anybody) return;
    agreement.pending = request_null();
    // Never freed by us: that is collective. MPI_Finalize does it.
    agreement.comm = job.release();
    is_prepared.store(true, std::memory_order_release);
    for (size_t i = 1; i < std::size(function_rows); ++i)
        if (strcmp(function_rows[i].family, "collective") == 0)
            select(static_cast<Function>(i), agrees_in_world);
}

void agree_on_recording() noexcept {
    if (!is_prepared.load(std::memory_order_acquire)) return;
    meet_controller();
    if (uint64_t agreed = result_of_pending()) {
        agreement.newest = std::max(agreement.newest, agreed);
        ovni_private_job_agreed(agreed);
    }
    combine_wishes();
}

void end_agreement() noexcept {
    if (!is_prepared.exchange(false, std::memory_order_acquire)) return;
    int saved = errno;
    result_of_pending();
    if (ovni_private_job_wish() > agreement.newest) never_agreed.once("MPI_COMM_WORLD");
    errno = saved;
}

}  // namespace ovni::mpi
