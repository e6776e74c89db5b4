// Reads the optional string argument of MPI_Pcontrol. If the caller passed none, the register holds an
// arbitrary value, so this never touches unmapped memory.
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
    // Reads a Fortran string of `length` bytes, without the blanks and zeros at its end.
    bool read(const void* address, size_t length) noexcept;
    // True if the string that was read is printable UTF-8.
    bool is_printable() const noexcept;
    std::string_view view() const noexcept { return text; }
};

}  // namespace ovni::mpi
