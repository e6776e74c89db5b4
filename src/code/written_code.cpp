#include "code/written_code.hpp"

#include <fcntl.h>
#include <linux/membarrier.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

namespace ovni::code {

namespace {

bool is_registered = false;

// The system writes there whatever the protection of the page is.
bool write_by_proc(uintptr_t address, const void* bytes, size_t size) noexcept {
    // The functions of the C library would be points at which the thread can be cancelled.
    const auto memory =
        static_cast<int>(::syscall(SYS_openat, AT_FDCWD, "/proc/self/mem", O_RDWR | O_CLOEXEC));
    if (memory < 0) return false;
    const bool is_written =
        ::syscall(SYS_pwrite64, memory, bytes, size, static_cast<off_t>(address)) == static_cast<long>(size);
    ::syscall(SYS_close, memory);
    return is_written;
}

bool write_by_protection(uintptr_t address, const void* bytes, size_t size) noexcept {
    const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
    const uintptr_t begin = address / page * page;
    const size_t length = address + size - begin;
    auto* pages = reinterpret_cast<void*>(begin);
    if (::mprotect(pages, length, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return false;
    memcpy(reinterpret_cast<void*>(address), bytes, size);
    return ::mprotect(pages, length, PROT_READ | PROT_EXEC) == 0;
}

}  // namespace

bool write_code(uintptr_t address, const void* bytes, size_t size) noexcept {
    return write_by_proc(address, bytes, size) || write_by_protection(address, bytes, size);
}

void prepare_synchronization() noexcept {
    is_registered = ::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0) == 0;
}

bool can_synchronize_code() noexcept {
    return is_registered;
}

void synchronize_code() noexcept {
    if (is_registered) ::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0);
}

}  // namespace ovni::code
