// Records of calls that make communicators, windows and files, name them, and end them.
#include "mpi/interpose/books/communicators.hpp"
#include "mpi/interpose/books/objects.hpp"
#include "mpi/interpose/books/unrecorded.hpp"
#include "mpi/interpose/library/predefined.hpp"
#include "mpi/interpose/records/details.hpp"
#include "mpi/interpose/streams/keep_errno.hpp"
#include "mpi/interpose/streams/recorder.hpp"
#include "ovni/mpi_events.h"

namespace ovni::mpi {

namespace {

Payload payload_of_object(Moment& moment, uint32_t object, int root = OVNI_MPI_ANY) noexcept {
    Payload payload(moment.function);
    return payload.add(int32_t{root}).add(object).add_bytes(0);
}

Payload of_made(Moment& moment, uint32_t object) noexcept {
    Payload payload(moment.function);
    return payload.add(object);
}

// Those that the two sides call to make one communicator count as one.
Function kind_of(Function function) noexcept {
    bool joins = function == Function::Comm_connect || function == Function::Comm_join;
    return joins ? Function::Comm_accept : function;
}

// Not all members of its communicator call it.
bool is_made_by_some(Function function) noexcept {
    return function == Function::Comm_create_group || function == Function::Intercomm_create ||
           function == Function::Comm_join || function == Function::Comm_create_from_group ||
           function == Function::Intercomm_create_from_groups;
}

bool is_copy(Function function) noexcept {
    return function == Function::Comm_dup || function == Function::Comm_dup_with_info ||
           function == Function::Comm_idup || function == Function::Comm_idup_with_info;
}

}  // namespace

void Finalization::record_unrecorded(Function function) noexcept {
    Thread* thread = this_thread();
    if (!thread || !thread->stream_known || !may_define(*thread)) return;
    KeepErrno keep(*thread);
    Moment moment{*thread, function, true, ovni::stream_now()};
    record_missing_members(moment);
}

Payload Finalization::enter(Moment& moment) noexcept {
    record_missing_members(moment);
    return Payload(moment.function);
}

Payload CommunicatorMaker::enter(Moment& moment) noexcept {
    // A communicator made in the background counts from here on, as on all members.
    if (newrequest) expected = reserve_id(comm, origin(moment));
    return payload_of_object(moment, communicator_number(moment, comm), peer_in_trace(root));
}

void CommunicatorMaker::entered(Moment& moment) noexcept {
    if (is_enter_shown(moment) || !counts(moment) || is_made_by_some(moment.function)) return;
    const CommunicatorPlace place = place_of(moment, comm);
    add_collective(AccountLock(), place);
}

Payload CommunicatorMaker::leave(Moment& moment) noexcept {
    if (newrequest) {
        Posted posted;
        posted.number = next_request_number();
        posted.kind = PostedKind::communicator;
        posted.expected = expected;
        posted.made = newcomm.address();
        posted.in_fortran = language == Language::fortran;
        post(moment, newrequest.get(), posted);
        Payload payload(moment.function);
        return payload.add_bytes(0).add(posted.number);
    }
    return of_made(moment, add_communicator(moment, newcomm.get(), origin(moment)));
}

// Members make communicators of one kind in the same order, but not those of different kinds, or tags.
Origin CommunicatorMaker::origin(Moment& moment) const noexcept {
    Origin origin = origin_of(moment, joins_two ? comm_null() : comm);
    auto kind = static_cast<uint64_t>(kind_of(moment.function));
    origin.is_copied = is_copy(moment.function);
    origin.distinction = kind << 32 | distinction.value;
    return origin;
}

// The new world has no members yet, so its communicator counts as one of those that start it.
Payload SpawnMaker::enter(Moment& moment) noexcept {
    Origin origin = origin_of(moment, comm);
    origin.distinction = static_cast<uint64_t>(moment.function) << 32;
    expected = reserve_id(comm, origin);
    return payload_of_object(moment, communicator_number(moment, comm), peer_in_trace(root));
}

Payload SpawnMaker::leave(Moment& moment) noexcept {
    return of_made(moment, add_spawned(moment, newcomm.get(), expected));
}

void* SpawnMaker::passed() noexcept {
    int rank = MPI_PROC_NULL;
    if (comm != comm_null() && comm != MPI_Comm()) OVNI_KNOWN_PMPI(Comm_rank)(comm, &rank);
    if (rank == root) infos.pass(count, expected.id);
    return infos.passed();
}

// Handles end at once: what other threads make from then on may get the same one.
Payload CommunicatorEnd::enter(Moment& moment) noexcept {
    ended = comm.get();
    // If nothing is recorded, an unknown communicator need not become known now.
    Payload payload = payload_of_object(moment, moment.recorded ? communicator_number(moment, ended) : 0);
    known = take_communicator(ended);
    return payload;
}

Payload CommunicatorEnd::leave(Moment& moment) noexcept {
    drop_communicator(known);
    return Payload(moment.function);
}

void CommunicatorEnd::fail(Moment&, int) noexcept {
    put_back(ended, known);
}

Payload WindowMaker::enter(Moment& moment) noexcept {
    return payload_of_object(moment, communicator_number(moment, comm));
}

Payload WindowMaker::leave(Moment& moment) noexcept {
    return of_made(moment, add_window(moment, newwin.get(), comm));
}

Payload WindowEnd::enter(Moment& moment) noexcept {
    ended = win.get();
    number = window_number(moment, ended);
    return payload_of_object(moment, number);
}

Payload WindowEnd::leave(Moment& moment) noexcept {
    remove_window(ended, number);
    return Payload(moment.function);
}

Payload FileMaker::enter(Moment& moment) noexcept {
    return payload_of_object(moment, communicator_number(moment, comm));
}

Payload FileMaker::leave(Moment& moment) noexcept {
    return of_made(moment, add_file(moment, newfile.get(), comm, name));
}

Payload FileEnd::enter(Moment& moment) noexcept {
    ended = file.get();
    number = file_number(moment, ended);
    return payload_of_object(moment, number);
}

Payload FileEnd::leave(Moment& moment) noexcept {
    remove_file(ended, number);
    return Payload(moment.function);
}

Payload CommunicatorNaming::enter(Moment& moment) noexcept {
    return payload_of_object(moment, communicator_number(moment, comm));
}

Payload CommunicatorNaming::leave(Moment& moment) noexcept {
    name_communicator(moment, comm, name);
    return Payload(moment.function);
}

Payload WindowNaming::enter(Moment& moment) noexcept {
    return payload_of_object(moment, window_number(moment, win));
}

Payload WindowNaming::leave(Moment& moment) noexcept {
    name_window(moment, win, name);
    return Payload(moment.function);
}

}  // namespace ovni::mpi
