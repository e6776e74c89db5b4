// Records, as in details.hpp, of calls that make, name and free communicators, windows and files.
#pragma once

#include "core/label_hash.hpp"
#include "mpi/interpose/books/communicators.hpp"
#include "mpi/interpose/job/spawned.hpp"
#include "mpi/interpose/library/arguments.hpp"
#include "mpi/interpose/streams/moment.hpp"
#include "mpi/interpose/streams/payload.hpp"

namespace ovni::mpi {

// The argument that tells apart communicators made concurrently: a tag, or a text.
struct Distinction {
    constexpr Distinction(int tag) noexcept : value(static_cast<uint32_t>(tag)) {}
    constexpr Distinction(std::string_view text) noexcept : value(label_hash(text)) {}
    uint32_t value;
};

struct CommunicatorMaker {
    MPI_Comm comm;  // its origin; MPI_COMM_NULL if there is none
    int root;
    Distinction distinction;
    bool joins_two;  // each side passes its own `comm`
    Comms newcomm;
    Language language;
    Requests newrequest = {};
    Expected expected = {};
    Payload enter(Moment& moment) noexcept;
    void entered(Moment& moment) noexcept;
    Payload leave(Moment& moment) noexcept;

 private:
    Origin origin(Moment& moment) const noexcept;
};

// Record of a call that starts a world and makes the communicator with it.
struct SpawnMaker {
    MPI_Comm comm;
    int root, count;
    SpawnInfos infos;
    Comms newcomm;
    Expected expected = {};
    Payload enter(Moment& moment) noexcept;
    Payload leave(Moment& moment) noexcept;
    // The infos to pass to MPI. Call once, even if nothing is recorded.
    void* passed() noexcept;
    const MPI_Info* for_c() noexcept { return static_cast<const MPI_Info*>(passed()); }
};

struct CommunicatorEnd {
    Comms comm;
    MPI_Comm ended = {};
    Communicator* known = nullptr;
    Payload enter(Moment& moment) noexcept;
    Payload leave(Moment& moment) noexcept;
    void fail(Moment& moment, int error) noexcept;
};

struct WindowMaker {
    MPI_Comm comm;
    Wins newwin;
    Payload enter(Moment& moment) noexcept;
    Payload leave(Moment& moment) noexcept;
};

struct WindowEnd {
    Wins win;
    MPI_Win ended = {};
    uint32_t number = 0;
    Payload enter(Moment& moment) noexcept;
    Payload leave(Moment& moment) noexcept;
};

struct FileMaker {
    MPI_Comm comm;
    std::string_view name;
    Files newfile;
    Payload enter(Moment& moment) noexcept;
    Payload leave(Moment& moment) noexcept;
};

struct FileEnd {
    Files file;
    MPI_File ended = {};
    uint32_t number = 0;
    Payload enter(Moment& moment) noexcept;
    Payload leave(Moment& moment) noexcept;
};

struct CommunicatorNaming {
    MPI_Comm comm;
    std::string_view name;
    Payload enter(Moment& moment) noexcept;
    Payload leave(Moment& moment) noexcept;
};

struct WindowNaming {
    MPI_Win win;
    std::string_view name;
    Payload enter(Moment& moment) noexcept;
    Payload leave(Moment& moment) noexcept;
};

}  // namespace ovni::mpi
