// Records of messages between two ranks; those of frequent.hpp are inline.
#include "mpi/interpose/communicators.hpp"
#include "mpi/interpose/details.hpp"
#include "mpi/interpose/frequent.hpp"
#include "mpi/interpose/predefined.hpp"
#include "ovni/mpi_events.h"

namespace ovni::mpi {

namespace {

void post_receive(Moment& moment, const Requests& request, uint32_t number) noexcept {
    Posted posted;
    posted.number = number;
    posted.kind = Posted::Kind::receive;
    post(moment, request.get(), posted);
}

}  // namespace

Payload PostedSend::enter(Moment& moment) noexcept {
    number = next_request_number();
    return of_posted(moment, send.peer, send.tag, send.comm, number);
}

Payload PostedSend::leave(Moment& moment) noexcept {
    Posted posted;
    posted.number = number;
    posted.kind = Posted::Kind::send;
    post(moment, newrequest.get(), posted);
    return transferred(moment, sent(send));
}

Payload PostedReceive::enter(Moment& moment) noexcept {
    number = next_request_number();
    return of_posted(moment, peer, tag, comm, number);
}

Payload PostedReceive::leave(Moment& moment) noexcept {
    if (peer == MPI_PROC_NULL) {
        moment.say(OVNI_MPI_REQUEST_ENDED, number, uint32_t{OVNI_MPI_COMPLETED});
        moment.say(OVNI_MPI_MESSAGE, uint64_t{0}, int32_t{OVNI_MPI_NOBODY}, int32_t{OVNI_MPI_ANY});
    } else {
        post_receive(moment, newrequest, number);
    }
    return Payload(moment.function);
}

Payload Exchange::enter(Moment& moment) noexcept {
    status.need(1);
    return send.enter(moment);
}

Payload Exchange::leave(Moment& moment) noexcept {
    moment.say(OVNI_MPI_BYTES, sent(send).bytes);
    return transferred(moment, status.envelope());
}

Payload PostedExchange::enter(Moment& moment) noexcept {
    number = next_request_number();
    return of_posted(moment, send.peer, send.tag, send.comm, number);
}

Payload PostedExchange::leave(Moment& moment) noexcept {
    post_receive(moment, newrequest, number);
    return transferred(moment, sent(send));
}

Payload PersistentSend::enter(Moment& moment) noexcept {
    return of_message(moment, send.peer, send.tag, send.comm);
}

Payload PersistentReceive::enter(Moment& moment) noexcept {
    return of_message(moment, peer, tag, comm);
}

Payload MatchedReceive::enter(Moment& moment) noexcept {
    status.need(1);
    Payload payload(moment.function);
    return payload.add(take_message(message.get()));
}

Payload MatchedReceive::leave(Moment& moment) noexcept {
    return transferred(moment, status.envelope());
}

Payload PostedMatchedReceive::enter(Moment& moment) noexcept {
    number = take_message(message.get());
    Payload payload(moment.function);
    return payload.add(number);
}

Payload PostedMatchedReceive::leave(Moment& moment) noexcept {
    if (number != 0) post_receive(moment, newrequest, number);
    return Payload(moment.function);
}

}  // namespace ovni::mpi
