// Records of requests: how they are started, and how they end.
//
// Bytes of a message are known when it has arrived, and so are source and tag of a wildcard: a call gets a
// status of ours if the program ignores its own. A call that fails leaves no details, but a request whose
// handle is null afterwards has ended: failed. A request counts as cancelled if the program asked for that
// and the status says so; MPI is asked for the status of a receive that is freed. A receive that is posted or
// completed while recording is off goes into the account.
//
// A call on many requests copies their handles. With MPI_THREAD_MULTIPLE it looks each up, some 20 ns per
// request, because another thread may get a handle again before the call is over.
#include <algorithm>

#include "mpi/interpose/base/handle_table.hpp"
#include "mpi/interpose/books/communicators.hpp"
#include "mpi/interpose/books/unrecorded.hpp"
#include "mpi/interpose/library/family.hpp"
#include "mpi/interpose/library/pmpi.hpp"
#include "mpi/interpose/library/predefined.hpp"
#include "mpi/interpose/records/details.hpp"
#include "ovni/mpi_events.h"

namespace ovni::mpi {

namespace {

Payload of_request(Moment& moment, uint32_t number) noexcept {
    Payload payload(moment.function);
    return payload.add(number);
}

// The call has made a persistent request.
Payload keep_posted(Moment& moment, const Requests& newrequest, const Posted& posted) noexcept {
    post(moment, newrequest.get(), posted);
    Payload payload(moment.function);
    return payload.add_bytes(posted.bytes).add(posted.number);
}

Posted persistent(Moment& moment, PostedKind kind, int peer, int tag, MPI_Comm comm) noexcept {
    Posted posted;
    posted.number = next_request_number();
    posted.kind = kind;
    posted.persistent = true;
    posted.active = false;
    posted.set(place_of(moment, comm), peer_in_trace(peer), tag_in_trace(tag));
    return posted;
}

// Partitioned messages are matched among themselves, by the order of the calls that make their requests.
void set_partitions(Posted& posted, int partitions) noexcept {
    if (partitions < 0) return;
    const uint64_t side = posted.kind == PostedKind::send ? 1 : 2;
    const uint64_t peer = mix(posted.communicator_id, static_cast<uint32_t>(posted.peer));
    posted.ordinal = count_made(mix(peer, side << 32 | static_cast<uint32_t>(posted.tag)));
    posted.bytes *= static_cast<uint64_t>(partitions);
}

void record_request_start(Moment& moment, const Posted& posted) noexcept {
    if (posted.ordinal != 0) {
        if (moment.recorded) require_version_of_mpi_4(moment.thread);
        moment.record(OVNI_MPI_STARTED, posted.number, posted.starts, posted.ordinal);
    }
    if (posted.kind == PostedKind::collective) return;
    constexpr EventCode send = OVNI_MPI_SEND_STARTED, receive = OVNI_MPI_RECEIVE_STARTED;
    bool sends = posted.kind == PostedKind::send;
    moment.record(sends ? send : receive, posted.peer, posted.tag, posted.communicator, posted.number);
    if (sends) moment.record(OVNI_MPI_BYTES, posted.bytes);
}

void record_request_end(Moment& moment, const Posted& posted, uint32_t how) noexcept {
    moment.record(OVNI_MPI_REQUEST_ENDED, posted.number, how);
}

bool is_known(const Envelope& message) noexcept {
    return message.peer != OVNI_MPI_ANY && (message.peer < 0 || message.tag != OVNI_MPI_ANY);
}

// The request has ended, and the events of that are written. `message`: what a receive has got, if known.
[[gnu::cold]] void add_to_account(MPI_Request handle, const Posted& posted, uint32_t how, bool is_recorded,
                                  const Envelope* message) noexcept {
    const bool receives = posted.receives();
    if (!receives && posted.kind != PostedKind::send) return;
    const bool has_message = receives && how == OVNI_MPI_COMPLETED;
    const AccountLock lock;
    switch (take_shown(handle, posted)) {
        case Shown::yes:
            if (is_recorded) return;
            if (has_message && !message) return lose_account();
            // A send that has ended in order counts by its begin; a persistent one begins again.
            if (receives || posted.persistent || how != OVNI_MPI_COMPLETED)
                add_end(lock, posted.number, how, message ? message->peer : OVNI_MPI_ANY,
                        message ? message->tag : OVNI_MPI_ANY);
            return;
        case Shown::no:
            if (receives && how == OVNI_MPI_FREED && is_known({posted.bytes, posted.peer, posted.tag}))
                return add_receive(lock, posted.place(), posted.peer, posted.tag);
            if (how == OVNI_MPI_FREED || (has_message && !message)) return lose_account();
            if (has_message) add_receive(lock, posted.place(), message->peer, message->tag);
            return;
        case Shown::never:
            return;
    }
}

void settle(const Moment& moment, MPI_Request handle, const Posted& posted, uint32_t how,
            const Envelope* message = nullptr) noexcept {
    if (posted.shown == Shown::never) return;
    // If the stream already has the end, a second one is ignored.
    const bool is_recorded = is_whole(moment);
    if (is_recorded && posted.shown == Shown::yes) return;
    add_to_account(handle, posted, how, is_recorded, message);
}

void end_request(MPI_Request handle, Posted posted) noexcept {
    if (!posted.persistent) return forget(handle, posted);
    posted.active = posted.cancelled = false;
    update(handle, posted);
}

void appear(Moment& moment, const Posted& posted) noexcept {
    Comms made(posted.made, posted.in_fortran ? Language::fortran : Language::c);
    add_communicator(moment, made.get(), posted.expected);
}

// Statuses of I/O may hold anything there: it counts only where the program asked, maybe during this call.
bool was_cancelled(MPI_Request handle, const Posted& posted) noexcept {
    if (posted.cancelled) return true;
    Posted now = find_request(handle);
    return now.number == posted.number && now.cancelled;
}

// The call has failed. A handle that is null since then has ended.
void fail_ended(Moment& moment, MPI_Request before, MPI_Request now, const Posted& posted) noexcept {
    if (posted.number == 0 || before == request_null() || now != request_null()) return;
    if (posted.active) {
        record_request_end(moment, posted, OVNI_MPI_FAILED);
        settle(moment, before, posted, OVNI_MPI_FAILED);
    }
    forget(before, posted);
}

// The message that an exchange has received. MPICH 4.0 leaves its status as an earlier message has left it:
// then the message is described by the arguments of the call, with any sender if they give none.
Envelope received_by(const Posted& posted, const Envelope& status) noexcept {
    if (posted.peer == OVNI_MPI_NOBODY) return {0, OVNI_MPI_NOBODY, OVNI_MPI_ANY};
    return has_status_of_exchanges ? status : Envelope{posted.bytes, posted.peer, posted.tag};
}

// The request has completed with that status, if there is one.
void complete(Moment& moment, MPI_Request handle, const Posted& posted, const Statuses* statuses,
              int status) noexcept {
    if (posted.number == 0 || !posted.active) return;
    bool may_share = posted.kind == PostedKind::send;
    if (may_share && find_request(handle).number != posted.number) return;
    bool cancelled = statuses && statuses->is_cancelled(status) && was_cancelled(handle, posted);
    const uint32_t how = cancelled ? OVNI_MPI_CANCELLED : OVNI_MPI_COMPLETED;
    record_request_end(moment, posted, how);
    if (posted.kind == PostedKind::communicator) appear(moment, posted);
    if (statuses && !cancelled) {
        Envelope message = statuses->envelope(status);
        if (posted.ordinal != 0) message = {posted.bytes, posted.peer, posted.tag};
        // MPICH 4.0 reports rank 0 as the sender of a message of MPI_PROC_NULL.
        if (posted.persistent && posted.peer == OVNI_MPI_NOBODY) message.peer = OVNI_MPI_NOBODY;
        if (posted.kind == PostedKind::exchange) message = received_by(posted, message);
        if (posted.receives()) moment.record(OVNI_MPI_MESSAGE, message.bytes, message.peer, message.tag);
        if (posted.kind == PostedKind::transfer) moment.record(OVNI_MPI_BYTES, message.bytes);
        settle(moment, handle, posted, how, is_known(message) ? &message : nullptr);
    } else {
        settle(moment, handle, posted, how);
    }
    end_request(handle, posted);
}

bool needs_status(const Posted& posted) noexcept {
    return posted.receives() || posted.kind == PostedKind::transfer || posted.cancelled;
}

// After MPI_Request_free this is unknown. Call only with a receive: for a generalized request MPI would call
// a function of the program.
bool has_cancelled(MPI_Request request) noexcept {
    MPI_Status status;
    int flag = 0;
    const int error = OVNI_PMPI(Request_get_status)(request, &flag, &status);
    return error == MPI_SUCCESS && flag && is_cancelled_in(status);
}

}  // namespace

Payload PersistentSend::leave(Moment& moment) noexcept {
    Posted posted = persistent(moment, PostedKind::send, send.peer, send.tag, send.comm);
    posted.bytes = bytes_of(send.count, send.type);
    set_partitions(posted, partitions);
    return keep_posted(moment, newrequest, posted);
}

Payload PersistentReceive::leave(Moment& moment) noexcept {
    Posted posted = persistent(moment, PostedKind::receive, peer, tag, comm);
    if (partitions >= 0) posted.bytes = bytes_of(count, type);
    set_partitions(posted, partitions);
    return keep_posted(moment, newrequest, posted);
}

Payload Start::enter(Moment& moment) noexcept {
    return of_request(moment, many ? static_cast<uint32_t>(count) : find_request(requests.get()).number);
}

void Start::entered(Moment& moment) noexcept {
    for (int i = 0; i < count; ++i) {
        Posted posted = find_request(requests.get(i));
        if (!posted.persistent) continue;
        ++posted.starts;
        record_request_start(moment, posted);
        const bool is_shown = moment.recorded && moment.thread.is_on;
        // MXg keeps those in step that it counts.
        const bool is_missed = posted.ordinal == 0 && counts(moment);
        posted.shown = is_shown ? Shown::yes : is_missed ? Shown::no : Shown::never;
        posted.active = true;
        update(requests.get(i), posted);
    }
}

Payload Start::leave(Moment& moment) noexcept {
    return Payload(moment.function);
}

void Start::miss(Moment&) noexcept {
    for (int i = 0; i < count; ++i) {
        Posted posted = find_request(requests.get(i));
        if (!posted.persistent || posted.shown != Shown::no) continue;
        if (posted.kind == PostedKind::receive) {
            expect_receive(AccountLock());
            continue;
        }
        add_send(AccountLock(), posted.place(), posted.peer, posted.tag);
        posted.shown = Shown::never;
        update(requests.get(i), posted);
    }
}

void Start::fail(Moment& moment, int) noexcept {
    for (int i = 0; i < count; ++i) {
        Posted posted = find_request(requests.get(i));
        if (!posted.persistent) continue;
        record_request_end(moment, posted, OVNI_MPI_FAILED);
        settle(moment, requests.get(i), posted, OVNI_MPI_FAILED);
        end_request(requests.get(i), posted);
    }
}

Payload RequestUse::enter(Moment& moment) noexcept {
    handle = request.get();
    posted = find_request(handle);
    if (moment.function == Function::Cancel && posted.number != 0) {
        posted.cancelled = true;
        update(handle, posted);
    }
    const bool frees = moment.function == Function::Request_free;
    const bool may_be_cancelled = posted.active && posted.cancelled && posted.receives();
    if (frees && may_be_cancelled && has_cancelled(handle)) how = OVNI_MPI_CANCELLED;
    return of_request(moment, posted.number);
}

Payload RequestUse::leave(Moment& moment) noexcept {
    if (moment.function == Function::Request_free && posted.number != 0) {
        if (posted.active) {
            record_request_end(moment, posted, how);
            settle(moment, handle, posted, how);
        }
        forget(handle, posted);
    }
    return Payload(moment.function);
}

Payload Request::enter(Moment& moment) noexcept {
    return Payload(moment.function);
}

Payload Request::leave(Moment& moment) noexcept {
    Posted posted;
    posted.number = next_request_number();
    return keep_posted(moment, newrequest, posted);
}

Payload Completion::enter(Moment& moment) noexcept {
    handle = request.get();
    posted = find_request(handle);
    if (needs_status(posted) && !status.need(1)) {
        posted.kind = PostedKind::other;
        if (posted.shown == Shown::no) lose_account();
    }
    return of_request(moment, posted.number);
}

Payload Completion::leave(Moment& moment) noexcept {
    if (!flag || *flag) complete(moment, handle, posted, needs_status(posted) ? &status : nullptr, 0);
    return Payload(moment.function);
}

void Completion::fail(Moment& moment, int) noexcept {
    bool goes_on = posted.persistent && request.get() != request_null();
    if (!goes_on) return fail_ended(moment, handle, request.get(), posted);
    if (flag || !posted.active) return;
    record_request_end(moment, posted, OVNI_MPI_FAILED);
    settle(moment, handle, posted, OVNI_MPI_FAILED);
    end_request(handle, posted);
}

Payload Completions::enter(Moment& moment) noexcept {
    newest = newest_request_number();
    MPI_Request* copies = handles.make(count);
    if (copies) requests.copy(copies, count);
    Posted* books = several_threads ? posted.make(count) : nullptr;
    for (int i = 0; copies && books && i < count; ++i) books[i] = find_request(copies[i]);
    have_statuses = copies && statuses.need(index ? 1 : count);
    return of_request(moment, static_cast<uint32_t>(std::max(count, 0)));
}

// A callback may have given the handle to a request of its own during the call.
Posted Completions::book_of(int which) const noexcept {
    if (posted.data()) return posted[which];
    Posted known = find_request(handles[which]);
    return known.number <= newest ? known : Posted{};
}

void Completions::finish(Moment& moment, int which, int status) noexcept {
    if (which < 0 || which >= count) return;
    Posted known = book_of(which);
    complete(moment, handles[which], known, have_statuses && needs_status(known) ? &statuses : nullptr,
             status);
}

void Completions::finish_those(Moment& moment, bool some_failed) noexcept {
    int done = outcount ? std::clamp(*outcount, 0, count) : count;
    for (int i = 0; i < done; ++i) {
        int which = indices ? numbered(indices[i]) : i;
        int error = some_failed ? statuses.error(i) : MPI_SUCCESS;
        if (error == MPI_SUCCESS) {
            finish(moment, which, i);
        } else if (error != MPI_ERR_PENDING && which >= 0 && which < count) {
            Posted known = book_of(which);
            if (known.number == 0 || !known.active) continue;
            record_request_end(moment, known, OVNI_MPI_FAILED);
            settle(moment, handles[which], known, OVNI_MPI_FAILED);
            end_request(handles[which], known);
        }
    }
}

Payload Completions::leave(Moment& moment) noexcept {
    Payload payload(moment.function);
    if (!handles.data() || (flag && !*flag) || (outcount && *outcount == MPI_UNDEFINED)) return payload;
    if (index)
        finish(moment, *index == MPI_UNDEFINED ? -1 : numbered(*index), 0);
    else
        finish_those(moment, false);
    return payload;
}

// Some may have completed nevertheless: only in this case their statuses show it.
void Completions::fail(Moment& moment, int error) noexcept {
    if (class_of(error) == MPI_ERR_IN_STATUS && have_statuses && !index) finish_those(moment, true);
    for (int i = 0; handles.data() && i < count; ++i)
        if (handles[i] != request_null()) fail_ended(moment, handles[i], requests.get(i), book_of(i));
}

}  // namespace ovni::mpi
