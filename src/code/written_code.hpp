// Writing the code of this process, which is mapped without the right to write.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ovni::code {

// Puts the bytes there. Returns false if the system refuses. Other threads may run the old bytes until
// synchronize_code() has returned.
bool write_code(uintptr_t address, const void* bytes, size_t size) noexcept;

// For several writes. The constructor opens all that is needed, so that a later write cannot fail for lack of
// it.
class CodeWriter {
 public:
    CodeWriter() noexcept;
    ~CodeWriter();
    CodeWriter(const CodeWriter&) = delete;
    CodeWriter& operator=(const CodeWriter&) = delete;
    bool write(uintptr_t address, const void* bytes, size_t size) const noexcept;

 private:
    int memory_;
};

uintptr_t page_bytes() noexcept;

// After this, no thread of the process runs the old code.
void synchronize_code() noexcept;
// Call once before synchronize_code().
void prepare_synchronization() noexcept;
// False if the system does not support it.
bool can_synchronize_code() noexcept;

}  // namespace ovni::code
