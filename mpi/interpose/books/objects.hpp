// Windows and files of the process, and the numbers that they and communicators have in its trace. A stream
// describes an object before it first names it.
//
// Names may be any bytes: those that are no part of a printable character of UTF-8 are recorded as `\xNN`. A
// name that is given while recording is off is recorded when its thread next uses the object; that of
// MPI_COMM_WORLD is not.
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

// The next number of the one sequence, which begins with 3.
uint32_t next_object_number() noexcept;

// True if the stream does not know this object yet. Ask once for each: it counts as known afterwards.
bool is_to_be_told(Moment& moment, uint32_t number) noexcept;
// Writes a jumbo event.
void tell(Moment& moment, EventCode code, std::span<const uint8_t> fixed,
          std::span<const uint8_t> rest) noexcept;
void tell_name(Moment& moment, uint32_t number, std::string_view name) noexcept;
// Records the new name of an object. After a pause it is recorded again.
void tell_new_name(Moment& moment, uint32_t number, std::string_view name) noexcept;

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
