// Records of one-sided operations and of I/O.
#include "mpi/interpose/books/objects.hpp"
#include "mpi/interpose/books/unrecorded.hpp"
#include "mpi/interpose/library/predefined.hpp"
#include "mpi/interpose/records/details.hpp"
#include "ovni/mpi_events.h"

namespace ovni::mpi {

namespace {

Payload payload_of_transfer(Moment& moment, int target, uint32_t object, uint64_t bytes) noexcept {
    Payload payload(moment.function);
    return payload.add(int32_t{target}).add(object).add_bytes(bytes);
}

Payload of_new_request(Moment& moment, const Requests& newrequest, PostedKind kind, uint64_t bytes) noexcept {
    Posted posted;
    posted.number = next_request_number();
    posted.kind = kind;
    post(moment, newrequest.get(), posted);
    Payload payload(moment.function);
    return payload.add_bytes(bytes).add(posted.number);
}

}  // namespace

Payload OneSided::enter(Moment& moment) noexcept {
    bool sends = gives && op != op_no_op() && target != MPI_PROC_NULL;
    uint64_t sent = sends ? bytes_of(count, type) : 0;
    return payload_of_transfer(moment, peer_in_trace(target), window_number(moment, win), sent);
}

Payload OneSided::leave(Moment& moment) noexcept {
    uint64_t received = takes && target != MPI_PROC_NULL ? bytes_of(count, type) : 0;
    if (newrequest) return of_new_request(moment, newrequest, PostedKind::other, received);
    Payload payload(moment.function);
    return payload.add_bytes(received);
}

Payload Synchronisation::enter(Moment& moment) noexcept {
    return payload_of_transfer(moment, peer_in_trace(target), window_number(moment, win), 0);
}

void Synchronisation::entered(Moment& moment) noexcept {
    if (moment.function != Function::Win_fence || is_enter_shown(moment) || !counts(moment)) return;
    CommunicatorPlace place;
    place.number = window_communicator(win);
    add_collective(AccountLock(), place);
}

Payload Transfer::enter(Moment& moment) noexcept {
    if (has_status) has_status = status.need(1);
    return payload_of_transfer(moment, OVNI_MPI_ANY, file_number(moment, file), bytes_of(count, type));
}

Payload Transfer::leave(Moment& moment) noexcept {
    if (newrequest) return of_new_request(moment, newrequest, PostedKind::transfer, 0);
    Payload payload(moment.function);
    return has_status ? payload.add_bytes(status.bytes()) : payload;
}

Payload FileUse::enter(Moment& moment) noexcept {
    return payload_of_transfer(moment, OVNI_MPI_ANY, file_number(moment, file), 0);
}

}  // namespace ovni::mpi
