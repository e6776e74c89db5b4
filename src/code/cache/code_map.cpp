#include "code/cache/code_map.hpp"

#include <fcntl.h>
#include <limits.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "code/own_libraries.hpp"

namespace ovni::code {

namespace {

// The next word; the line goes on behind it.
std::string_view next_word(std::string_view& line) {
    const size_t size = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, size);
    line.remove_prefix(std::min(line.find_first_not_of(' ', size), line.size()));
    return word;
}

uint64_t hexadecimal(std::string_view digits) {
    uint64_t number = 0;
    for (const char c : digits)
        number = number << 4 | static_cast<uint64_t>(c <= '9' ? c - '0' : c - 'a' + 10);
    return number;
}

uint32_t hash_of(std::string_view text, uint32_t hash) {
    for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x01000193;
    return hash;
}

}  // namespace

const MappedCode* CodeMap::find(uint64_t address) const noexcept {
    const MappedCode* end = all_.data() + count_;
    const MappedCode* found = std::upper_bound(
        all_.data(), end, address, [](uint64_t wanted, const MappedCode& code) { return wanted < code.end; });
    return found != end && found->begin <= address ? found : nullptr;
}

bool CodeMap::holds(const MappedCode& old) noexcept {
    auto* now = const_cast<MappedCode*>(find(old.begin));
    if (now == nullptr || now->name != old.name || now->end < old.end) return false;
    now->is_used = true;
    return true;
}

void CodeMap::read() noexcept {
    const auto maps =
        static_cast<int>(::syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC));
    is_readable_ = maps >= 0;
    if (!is_readable_) return;
    count_ = 0;
    static char buffer[size_t{64} << 10];
    size_t held = 0;
    for (;;) {
        const long size = ::syscall(SYS_read, maps, buffer + held, sizeof buffer - held);
        if (size <= 0) break;
        held += static_cast<size_t>(size);
        size_t begin = 0;
        while (const void* end = memchr(buffer + begin, '\n', held - begin)) {
            const auto length = static_cast<size_t>(static_cast<const char*>(end) - (buffer + begin));
            read_line({buffer + begin, length});
            begin += length + 1;
        }
        memmove(buffer, buffer + begin, held - begin);
        held -= begin;
    }
    ::syscall(SYS_close, maps);
}

// begin-end rwxp offset device inode path
void CodeMap::read_line(std::string_view line) noexcept {
    const std::string_view range = next_word(line), rights = next_word(line), offset = next_word(line);
    next_word(line);
    next_word(line);
    const size_t dash = std::min(range.find('-'), range.size() - 1);
    if (rights.size() < 3 || rights[0] != 'r' || rights[2] != 'x' || count_ == most) return;
    const bool is_ours = is_own_library(line.substr(line.rfind('/') + 1));
    all_[count_++] = {hexadecimal(range.substr(0, dash)),
                      hexadecimal(range.substr(dash + 1)),
                      is_ours ? Owner::tracer : Owner::program,
                      !is_ours && is_wanted(line),
                      rights[1] == 'w',
                      false,
                      hash_of(line, hash_of(offset, 0x811c9dc5))};
}

bool CodeMap::is_wanted(std::string_view path) const noexcept {
    if (names_.empty()) return true;
    const std::string_view file = path.substr(path.rfind('/') + 1);
    char program[PATH_MAX];
    for (std::string_view rest = names_; !rest.empty();) {
        const size_t size = std::min(rest.find(','), rest.size());
        const std::string_view name = rest.substr(0, size);
        rest.remove_prefix(std::min(size + 1, rest.size()));
        if (name == file || name == path) return true;
        if (name != "exe") continue;
        const long length = ::syscall(SYS_readlink, "/proc/self/exe", program, sizeof program);
        if (length > 0 && path == std::string_view(program, static_cast<size_t>(length))) return true;
    }
    return false;
}

}  // namespace ovni::code
