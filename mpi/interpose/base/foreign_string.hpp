// A string of the program that may not be one: the optional argument of MPI_Pcontrol, where a caller without
// it leaves whatever the register holds. Read without ever touching memory that is not there.
#pragma once

#include <cstddef>
#include <string_view>

namespace ovni::mpi {

// Bytes of the printable character at the front of `text`, which is not empty; 0 if there is none.
size_t printable(std::string_view text) noexcept;

struct ForeignString {
    static constexpr int most = 127;
    char text[most + 1] = {};

    // True if there is a string at the address: 1 to 127 bytes and a zero.
    bool read(const void* address) noexcept;
    // Reads a string of Fortran: `length` bytes, of which blanks and zeros at the end do not count.
    bool read(const void* address, size_t length) noexcept;
    // True if the string that was read is printable UTF-8.
    bool is_printable() const noexcept;
    std::string_view view() const noexcept { return text; }
};

}  // namespace ovni::mpi
