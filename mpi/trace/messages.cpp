// Records of messages between two ranks.
#include "mpi/trace/communicators.hpp"
#include "mpi/trace/details.hpp"
#include "mpi/trace/predefined.hpp"
#include "ovni/mpi_events.h"

namespace ovni::mpi {

namespace {

Payload of_message(Moment& moment, int peer, int tag, MPI_Comm comm) noexcept {
    Payload payload(moment.function);
    payload.add(peer_in_trace(peer)).add(tag_in_trace(tag)).add(communicator_number(moment, comm));
    return payload;
}

Payload of_posted(Moment& moment, int peer, int tag, MPI_Comm comm, uint32_t request) noexcept {
    return of_message(moment, peer, tag, comm).add(request);
}

Payload transferred(Moment& moment, const Envelope& message) noexcept {
    Payload payload(moment.function);
    return payload.add_bytes(message.bytes).add(message.peer).add(message.tag);
}

Envelope sent(const Send& send) noexcept {
    return {bytes_of(send.count, send.type), peer_in_trace(send.peer), tag_in_trace(send.tag)};
}

void post_receive(Moment& moment, const Requests& request, uint32_t number) noexcept {
    Posted posted;
    posted.number = number;
    posted.kind = Posted::Kind::receive;
    post(moment, request.get(), posted);
}

}  // namespace

Payload Send::enter(Moment& moment) noexcept {
    return of_posted(moment, peer, tag, comm, 0);
}

Payload Send::leave(Moment& moment) noexcept {
    return transferred(moment, sent(*this));
}

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

Payload Receive::enter(Moment& moment) noexcept {
    status.need(1);
    return of_posted(moment, peer, tag, comm, 0);
}

Payload Receive::leave(Moment& moment) noexcept {
    return transferred(moment, status.envelope());
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

Payload Probe::enter(Moment& moment) noexcept {
    status.need(1);
    return of_message(moment, peer, tag, comm);
}

Payload Probe::leave(Moment& moment) noexcept {
    Payload payload(moment.function);
    if (flag && !*flag) return payload;
    uint32_t number = 0;
    if (newmessage) {
        MPI_Message message = newmessage.get();
        if (message != message_null() && message != message_no_proc())
            keep_message(message, number = next_request_number());
    }
    Envelope found = status.envelope();
    return payload.add(found.peer).add(found.tag).add(number);
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
