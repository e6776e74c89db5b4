#include "mpi/interpose/sites/agreement.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "mpi/interpose/base/report.hpp"
#include "mpi/interpose/base/spin_lock.hpp"
#include "mpi/interpose/sites/sites.hpp"
#include "mpi/interpose/streams/selection.hpp"
#include "ovni/private.h"

namespace ovni::mpi {

namespace {

Report not_possible{"--control: ranks cannot agree on regions of the job: %s"};
Report never_agreed{
    "--control: an alarm of scope job fired, but fewer than two blocking collectives on %s came after it: "
    "not all ranks switched"};

// Programs make the collectives of a communicator one after the other, so there is one sum at a time.
struct Agreement {
    MPI_Comm comm, end_comm;
    SpinLock lock;  // of `pending` and `begun`
    MPI_Request pending;
    int begun;
    uint64_t wish, sum;
    uint64_t newest;  // that took effect
};
Agreement agreement{};
std::atomic<bool> can_agree{false};

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

bool combine(uint64_t wish) noexcept {
    agreement.wish = wish;
    MPI_Request request = request_null();
    int error = OVNI_KNOWN_PMPI(Iallreduce)(&agreement.wish, &agreement.sum, 1, type_unsigned_long(),
                                            op_max(), agreement.comm, &request);
    if (error != MPI_SUCCESS) {
        not_possible.once("a message failed");
        return false;
    }
    SpinLock::Guard guard(agreement.lock);
    agreement.pending = request;
    ++agreement.begun;
    return true;
}

// Errors that MPI finds in the arguments, before any message. After others, a collective has taken place.
bool is_refused(int error) noexcept {
    constexpr int refusals[] = {
        MPI_ERR_BUFFER, MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_TAG, MPI_ERR_COMM,
        MPI_ERR_RANK,   MPI_ERR_ROOT,  MPI_ERR_OP,   MPI_ERR_ARG, MPI_ERR_UNSUPPORTED_OPERATION};
    int error_class = error;
    OVNI_PMPI(Error_class)(error, &error_class);
    return std::find(std::begin(refusals), std::end(refusals), error_class) != std::end(refusals);
}

// MPI_COMM_WORLD has no neighbours.
bool is_of_topology(const char* name) noexcept {
    return strstr(name, "Neighbor") || strstr(name, "neighbor");
}

}  // namespace

void prepare_agreement(PrivateComm& job) noexcept {
    static_assert(sizeof(unsigned long) == sizeof(uint64_t));
    int anybody = 0;
    if (!job.any(ovni_private_is_job_scope(), anybody) || !anybody) return;
    int fails = OVNI_PMPI(Comm_dup)(job.get(), &agreement.end_comm) != MPI_SUCCESS, fails_somewhere = 1;
    if (!job.any(fails, fails_somewhere) || fails_somewhere) return not_possible.once("no communicator");
    agreement.pending = request_null();
    // Never freed by us: that is collective. MPI_Finalize does it.
    agreement.comm = job.release();
    can_agree.store(true, std::memory_order_release);
    for (size_t i = 1; i < std::size(function_rows); ++i)
        if (strcmp(function_rows[i].family, "collective") == 0 && !is_of_topology(function_rows[i].name))
            select(static_cast<Function>(i), agrees_in_world);
}

bool has_taken_place(int error) noexcept {
    return can_agree.load(std::memory_order_acquire) && (error == MPI_SUCCESS || !is_refused(error));
}

uint64_t await_agreement() noexcept {
    return result_of_pending();
}

void agree_on_recording(uint64_t agreed) noexcept {
    open_stream_for_controller();
    if (agreed) {
        agreement.newest = std::max(agreement.newest, agreed);
        ovni_private_job_agreed(agreed);
    }
    combine(ovni_private_job_wish());
}

// A rank that has made fewer collectives than others, by an error or a jump of the program, begins what is
// missing: the others' last one would never end.
void end_agreement() noexcept {
    if (!can_agree.exchange(false, std::memory_order_acquire)) return;
    int saved = errno;
    int most = 0;
    bool all_are_here = OVNI_PMPI(Allreduce)(&agreement.begun, &most, 1, type_int(), op_max(),
                                             agreement.end_comm) == MPI_SUCCESS;
    if (all_are_here) {
        result_of_pending();
        while (agreement.begun < most && combine(0)) result_of_pending();
    }
    if (ovni_private_job_wish() > agreement.newest) never_agreed.once("MPI_COMM_WORLD");
    errno = saved;
}

}  // namespace ovni::mpi
