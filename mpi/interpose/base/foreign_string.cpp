#include "mpi/interpose/base/foreign_string.hpp"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace ovni::mpi {

namespace {

constexpr size_t smallest_page = 4096;

// The two pieces end where a page may end: what lies before an unmapped page is still read.
size_t read_memory(const void* address, char* to, size_t bytes) noexcept {
    auto start = reinterpret_cast<uintptr_t>(address);
    size_t first = std::min(bytes, smallest_page - start % smallest_page);
    iovec local{to, bytes};
    iovec remote[] = {{const_cast<void*>(address), first},
                      // NOLINTNEXTLINE(performance-no-int-to-ptr): the sum may wrap around
                      {reinterpret_cast<void*>(start + first), bytes - first}};
    ssize_t got = process_vm_readv(getpid(), &local, 1, remote, bytes > first ? 2 : 1, 0);
    if (got >= 0 || errno == EFAULT) return got < 0 ? 0 : static_cast<size_t>(got);
    int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    if (memory < 0) return 0;
    got = pread(memory, to, bytes, static_cast<off_t>(start));
    close(memory);
    return got < 0 ? 0 : static_cast<size_t>(got);
}

}  // namespace

size_t printable(std::string_view text) noexcept {
    auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
    uint8_t lead = byte(0);
    if (lead < 0x80) return lead >= 0x20 && lead != 0x7f;
    size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
    for (size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xc0) != 0x80) return 0;
    bool overlong = (lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xf0 && byte(1) < 0x90);
    bool no_character = (lead == 0xed && byte(1) >= 0xa0) || (lead == 0xf4 && byte(1) >= 0x90);
    bool control = lead == 0xc2 && byte(1) < 0xa0;
    return overlong || no_character || control ? 0 : length;
}

bool ForeignString::read(const void* address) noexcept {
    int saved = errno;
    size_t got = address ? read_memory(address, text, sizeof text) : 0;
    errno = saved;
    auto* end = static_cast<const char*>(memchr(text, '\0', got));
    return end && end != text;
}

bool ForeignString::read(const void* address, size_t length) noexcept {
    if (!address || length == 0 || length > most) return false;
    int saved = errno;
    size_t got = read_memory(address, text, length);
    errno = saved;
    while (got == length && length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\0'))
        got = --length;
    text[length] = '\0';
    return got == length && length > 0 && view().size() == length;
}

bool ForeignString::is_printable() const noexcept {
    for (std::string_view rest = view(); !rest.empty();) {
        size_t length = printable(rest);
        if (length == 0) return false;
        rest.remove_prefix(length);
    }
    return true;
}

}  // namespace ovni::mpi
