// A string of the program that may not be one: the optional argument of MPI_Pcontrol, where a caller without
// it leaves whatever the register holds. Read without ever touching memory that is not there.
#pragma once

#include <cstddef>
#include <string_view>

namespace ovni::mpi {

// Bytes of the printable character at the front of `text`, which is not empty; 0 where there is none.
size_t printable(std::string_view text) noexcept;

struct ForeignString {
    static constexpr int most = 127;
    char text[most + 1] = {};

    // Whether there was one at the address: 1 to 127 bytes of printable UTF-8 and a zero.
    bool read(const void* address) noexcept;
    // The same of a string of Fortran: `length` bytes, of which blanks at the end do not count.
    bool read(const void* address, size_t length) noexcept;
    std::string_view view() const noexcept { return text; }
};

}  // namespace ovni::mpi
