// Records of calls that make communicators, windows and files, name them, and end them.
#include "mpi/trace/communicators.hpp"
#include "mpi/trace/details.hpp"
#include "mpi/trace/objects.hpp"
#include "mpi/trace/predefined.hpp"
#include "ovni/mpi_events.h"

namespace ovni::mpi {

namespace {

Payload of_object(Moment& moment, uint32_t object, int root = OVNI_MPI_ANY) noexcept {
    Payload payload(moment.function);
    return payload.add(int32_t{root}).add(object).add_bytes(0);
}

Payload of_made(Moment& moment, uint32_t object) noexcept {
    Payload payload(moment.function);
    return payload.add(object);
}

}  // namespace

Payload Finalization::enter(Moment& moment) noexcept {
    tell_members(moment);
    return Payload(moment.function);
}

Payload CommunicatorMaker::enter(Moment& moment) noexcept {
    // What is made in the background counts from here on, as on all members.
    if (newrequest) id = reserve_id(moment, comm);
    return of_object(moment, communicator_number(moment, comm), peer_in_trace(root));
}

Payload CommunicatorMaker::leave(Moment& moment) noexcept {
    if (newrequest) {
        Posted posted;
        posted.number = next_request_number();
        posted.kind = Posted::Kind::communicator;
        posted.id = id;
        posted.made = newcomm.address();
        posted.in_fortran = language == Language::fortran;
        post(newrequest.get(), posted);
        Payload payload(moment.function);
        return payload.add_bytes(0).add(posted.number);
    }
    Origin origin = joins_two ? Origin{} : origin_of(moment, comm);
    origin.distinction = static_cast<uint32_t>(distinction);
    return of_made(moment, add_communicator(moment, newcomm.get(), origin));
}

// Handles end at once: what other threads make from then on may get the same one.
Payload CommunicatorEnd::enter(Moment& moment) noexcept {
    MPI_Comm ended = comm.get();
    Payload payload = of_object(moment, communicator_number(moment, ended));
    remove_communicator(ended);
    return payload;
}

Payload WindowMaker::enter(Moment& moment) noexcept {
    return of_object(moment, communicator_number(moment, comm));
}

Payload WindowMaker::leave(Moment& moment) noexcept {
    return of_made(moment, add_window(moment, newwin.get(), comm));
}

Payload WindowEnd::enter(Moment& moment) noexcept {
    MPI_Win ended = win.get();
    Payload payload = of_object(moment, window_number(moment, ended));
    remove_window(ended);
    return payload;
}

Payload FileMaker::enter(Moment& moment) noexcept {
    return of_object(moment, communicator_number(moment, comm));
}

Payload FileMaker::leave(Moment& moment) noexcept {
    return of_made(moment, add_file(moment, newfile.get(), comm, name));
}

Payload FileEnd::enter(Moment& moment) noexcept {
    MPI_File ended = file.get();
    Payload payload = of_object(moment, file_number(moment, ended));
    remove_file(ended);
    return payload;
}

Payload CommunicatorNaming::enter(Moment& moment) noexcept {
    return of_object(moment, communicator_number(moment, comm));
}

Payload CommunicatorNaming::leave(Moment& moment) noexcept {
    name_communicator(moment, comm, name);
    return Payload(moment.function);
}

Payload WindowNaming::enter(Moment& moment) noexcept {
    return of_object(moment, window_number(moment, win));
}

Payload WindowNaming::leave(Moment& moment) noexcept {
    name_window(moment, win, name);
    return Payload(moment.function);
}

}  // namespace ovni::mpi
