// Writing the code of this process, which is mapped without the right to write.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ovni::code {

// Puts the bytes there. Returns false if the system refuses. Other threads may run the old bytes until
// synchronize_code() has returned.
bool write_code(uintptr_t address, const void* bytes, size_t size) noexcept;

// From here on no thread of the process runs code as it was before.
void synchronize_code() noexcept;
// Call once before.
void prepare_synchronization() noexcept;
// False if the system knows no such way.
bool can_synchronize_code() noexcept;

}  // namespace ovni::code
