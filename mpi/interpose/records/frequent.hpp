// Records of the most frequent calls, inline in their wrappers, where the function is a constant.
#pragma once

#include "mpi/interpose/books/communicators.hpp"
#include "mpi/interpose/library/predefined.hpp"
#include "mpi/interpose/records/details.hpp"
#include "ovni/mpi_events.h"

namespace ovni::mpi {

[[gnu::always_inline]] inline Payload of_message(Moment& moment, int peer, int tag, MPI_Comm comm) noexcept {
    Payload payload(moment.function);
    payload.add(peer_in_trace(peer)).add(tag_in_trace(tag)).add(communicator_number(moment, comm));
    return payload;
}

// If the payload begins with a function number, there is no room for the request: see record_posts().
[[gnu::always_inline]] inline Payload of_posted(Moment& moment, int peer, int tag, MPI_Comm comm,
                                                uint32_t request) noexcept {
    Payload payload = of_message(moment, peer, tag, comm);
    return row_of(moment.function).number != 0 ? payload : payload.add(request);
}

// Call after the enter of a call that posts a request.
[[gnu::always_inline]] inline void record_posts(Moment& moment, uint32_t request) noexcept {
    if (row_of(moment.function).number != 0) moment.record(OVNI_MPI_POSTS, request);
}

[[gnu::always_inline]] inline Payload transferred(Moment& moment, const Envelope& message) noexcept {
    Payload payload(moment.function);
    return payload.add_bytes(message.bytes).add(message.peer).add(message.tag);
}

[[gnu::always_inline]] inline Envelope sent(const Send& send) noexcept {
    return {bytes_of(send.count, send.type), peer_in_trace(send.peer), tag_in_trace(send.tag)};
}

[[gnu::always_inline]] inline Payload Send::enter(Moment& moment) noexcept {
    return of_posted(moment, peer, tag, comm, 0);
}

[[gnu::always_inline]] inline Payload Send::leave(Moment& moment) noexcept {
    return transferred(moment, sent(*this));
}

[[gnu::always_inline]] inline Payload Receive::enter(Moment& moment) noexcept {
    status.need(1);
    return of_posted(moment, peer, tag, comm, 0);
}

[[gnu::always_inline]] inline Payload Receive::leave(Moment& moment) noexcept {
    return transferred(moment, status.envelope());
}

[[gnu::always_inline]] inline Payload Probe::enter(Moment& moment) noexcept {
    status.need(1);
    return of_message(moment, peer, tag, comm);
}

[[gnu::always_inline]] inline Payload Probe::leave(Moment& moment) noexcept {
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

}  // namespace ovni::mpi
