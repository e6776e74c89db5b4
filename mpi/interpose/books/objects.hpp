// Windows and files of the process, and the numbers that they and communicators have in its trace. A stream
// describes an object before it first names it.
//
// Names may be any bytes. Bytes outside printable UTF-8 characters are recorded as `\xNN`. A name given while
// recording is off is recorded when its thread next uses the object, except for MPI_COMM_WORLD.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <string_view>

#include "mpi/interpose/streams/moment.hpp"

namespace ovni::mpi {

// A communicator that does not exist yet.
struct Expected {
    uint64_t id = 0;
    bool is_agreed = true;     // all members know this id
    bool is_of_world = false;  // it surely has the ranks of MPI_COMM_WORLD
};

// The next number for a communicator, window or file. Numbers begin with 3.
uint32_t next_object_number() noexcept;

// True if the stream has not described this object yet. The call marks it as described.
bool is_to_be_described(Moment& moment, uint32_t number) noexcept;
// Writes a jumbo event.
void record_jumbo(Moment& moment, EventCode code, std::span<const uint8_t> fixed,
                  std::span<const uint8_t> rest) noexcept;
void record_name(Moment& moment, uint32_t number, std::string_view name) noexcept;
// Records the new name of an object; if recording is off, the object and its name are recorded at the next
// use.
void record_new_name(Moment& moment, uint32_t number, std::string_view name) noexcept;

uint32_t window_number(Moment& moment, MPI_Win win) noexcept;
// The number of the communicator that the window was made on, if that is known.
uint32_t window_communicator(MPI_Win win) noexcept;
uint32_t add_window(Moment& moment, MPI_Win win, MPI_Comm comm) noexcept;
void name_window(Moment& moment, MPI_Win win, std::string_view name) noexcept;
// Removes the object if the handle still means that number.
void remove_window(MPI_Win win, uint32_t number) noexcept;

uint32_t file_number(Moment& moment, MPI_File file) noexcept;
uint32_t add_file(Moment& moment, MPI_File file, MPI_Comm comm, std::string_view name) noexcept;
void remove_file(MPI_File file, uint32_t number) noexcept;

}  // namespace ovni::mpi
