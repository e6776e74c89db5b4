// Records of messages between two ranks; those of frequent.hpp are inline.
#include "mpi/interpose/books/communicators.hpp"
#include "mpi/interpose/books/unrecorded.hpp"
#include "mpi/interpose/library/predefined.hpp"
#include "mpi/interpose/records/details.hpp"
#include "mpi/interpose/records/frequent.hpp"
#include "ovni/mpi_events.h"

namespace ovni::mpi {

namespace {

Posted posted_receive(uint32_t number) noexcept {
    Posted posted;
    posted.number = number;
    posted.kind = PostedKind::receive;
    return posted;
}

void miss_receive(Moment& moment, MPI_Comm comm, const Envelope& message) noexcept {
    const CommunicatorPlace place = place_of(moment, comm);
    add_receive(AccountLock(), place, message.peer, message.tag);
}

MPI_Message found(const Messages& message) noexcept {
    MPI_Message found = message ? message.get() : message_null();
    return found == message_no_proc() ? message_null() : found;
}

}  // namespace

void Send::miss(Moment& moment) noexcept {
    const CommunicatorPlace place = place_of(moment, comm);
    add_send(AccountLock(), place, peer_in_trace(peer), tag_in_trace(tag));
}

void Receive::miss(Moment& moment) noexcept {
    miss_receive(moment, comm, status.envelope());
}

// A message that a matched probe takes out is received, sooner or later.
void Probe::miss(Moment& moment) noexcept {
    if ((!flag || *flag) && found(newmessage) != message_null())
        miss_receive(moment, comm, status.envelope());
}

void PostedSend::miss(Moment& moment) noexcept {
    send.miss(moment);
}

Payload PostedSend::enter(Moment& moment) noexcept {
    number = next_request_number();
    return of_posted(moment, send.peer, send.tag, send.comm, number);
}

void PostedSend::entered(Moment& moment) noexcept {
    record_posts(moment, number);
}

Payload PostedSend::leave(Moment& moment) noexcept {
    Posted posted;
    posted.number = number;
    posted.kind = PostedKind::send;
    posted.shown = Shown::yes;
    post(moment, newrequest.get(), posted);
    return transferred(moment, sent(send));
}

Payload PostedReceive::enter(Moment& moment) noexcept {
    number = next_request_number();
    return of_posted(moment, peer, tag, comm, number);
}

void PostedReceive::entered(Moment& moment) noexcept {
    record_posts(moment, number);
    is_shown = is_enter_shown(moment);
}

Payload PostedReceive::leave(Moment& moment) noexcept {
    if (peer == MPI_PROC_NULL) {
        moment.record(OVNI_MPI_REQUEST_ENDED, number, uint32_t{OVNI_MPI_COMPLETED});
        moment.record(OVNI_MPI_MESSAGE, uint64_t{0}, int32_t{OVNI_MPI_NOBODY}, int32_t{OVNI_MPI_ANY});
    } else {
        Posted posted = posted_receive(number);
        posted.shown = is_shown ? Shown::yes : counts(moment) ? Shown::no : Shown::never;
        if (!is_shown) posted.set(place_of(moment, comm), peer_in_trace(peer), tag_in_trace(tag));
        post(moment, newrequest.get(), posted);
        if (posted.shown == Shown::no) expect_receive(AccountLock());
    }
    return Payload(moment.function);
}

Payload Exchange::enter(Moment& moment) noexcept {
    status.need(1);
    return send.enter(moment);
}

Payload Exchange::leave(Moment& moment) noexcept {
    moment.record(OVNI_MPI_BYTES, sent(send).bytes);
    return transferred(moment, status.envelope());
}

void Exchange::miss(Moment& moment) noexcept {
    send.miss(moment);
    miss_receive(moment, send.comm, status.envelope());
}

Payload PostedExchange::enter(Moment& moment) noexcept {
    number = next_request_number();
    return of_posted(moment, send.peer, send.tag, send.comm, number);
}

void PostedExchange::entered(Moment& moment) noexcept {
    record_posts(moment, number);
}

Payload PostedExchange::leave(Moment& moment) noexcept {
    Posted posted = posted_receive(number);
    posted.kind = PostedKind::exchange;
    posted.bytes = bytes_of(recvcount, recvtype);
    posted.set(place_of(moment, send.comm), peer_in_trace(source), tag_in_trace(recvtag));
    posted.shown = is_whole(moment) ? Shown::yes : counts(moment) ? Shown::no : Shown::never;
    post(moment, newrequest.get(), posted);
    if (posted.shown == Shown::no) expect_receive(AccountLock());
    return transferred(moment, sent(send));
}

void PostedExchange::miss(Moment& moment) noexcept {
    send.miss(moment);
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
    if (number != 0) post(moment, newrequest.get(), posted_receive(number));
    return Payload(moment.function);
}

}  // namespace ovni::mpi
