#include "code/written_code.hpp"

#include <fcntl.h>
#include <linux/membarrier.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "code/system_call.hpp"

namespace ovni::code {

namespace {

bool is_registered = false;

bool write_by_protection(uintptr_t address, const void* bytes, size_t size) noexcept {
    const uintptr_t begin = address / page_bytes() * page_bytes();
    const size_t length = address + size - begin;
    if (system_call(SYS_mprotect, begin, length, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return false;
    memcpy(reinterpret_cast<void*>(address), bytes, size);
    return system_call(SYS_mprotect, begin, length, PROT_READ | PROT_EXEC) == 0;
}

}  // namespace

uintptr_t page_bytes() noexcept {
    static const auto bytes = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
    return bytes;
}

// The system writes there whatever the protection of the page is.
CodeWriter::CodeWriter() noexcept
    : memory_(static_cast<int>(system_call(SYS_openat, AT_FDCWD, "/proc/self/mem", O_RDWR | O_CLOEXEC))) {}

CodeWriter::~CodeWriter() {
    if (memory_ >= 0) system_call(SYS_close, memory_);
}

bool CodeWriter::write(uintptr_t address, const void* bytes, size_t size) const noexcept {
    const bool is_written =
        memory_ >= 0 && system_call(SYS_pwrite64, memory_, bytes, size, address) == static_cast<long>(size);
    return is_written || write_by_protection(address, bytes, size);
}

bool write_code(uintptr_t address, const void* bytes, size_t size) noexcept {
    return CodeWriter().write(address, bytes, size);
}

void prepare_synchronization() noexcept {
    page_bytes();
    is_registered =
        system_call(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0) == 0;
}

bool can_synchronize_code() noexcept {
    return is_registered;
}

void synchronize_code() noexcept {
    if (is_registered) system_call(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0);
}

}  // namespace ovni::code
