// Writing the code of this process, which is mapped without the right to write.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ovni::code {

// Puts the bytes there. Returns false if the system refuses. Other threads may run the old bytes until
// synchronize_code() has returned.
bool write_code(uintptr_t address, const void* bytes, size_t size) noexcept;

// Does several writes. It opens what it needs when it is made, so that no later write fails for that.
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

// From here on no thread of the process runs code as it was before.
void synchronize_code() noexcept;
// Call once before.
void prepare_synchronization() noexcept;
// False if the system knows no such way.
bool can_synchronize_code() noexcept;

}  // namespace ovni::code
