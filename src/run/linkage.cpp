#include "run/linkage.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/file.hpp"

namespace ovni::run {

namespace {

// Empty where there is none.
std::string path_of(const std::string& program) {
    if (program.find('/') != program.npos) return program;
    const char* search = std::getenv("PATH");
    std::string list = search ? search : "/bin:/usr/bin";
    for (size_t begin = 0, end = 0; begin <= list.size(); begin = end + 1) {
        end = std::min(list.find(':', begin), list.size());
        std::string path = end == begin ? program : list.substr(begin, end - begin) + "/" + program;
        if (::access(path.c_str(), X_OK) == 0) return path;
    }
    return {};
}

template <class T>
bool read_at(const Fd& file, T& value, uint64_t offset) {
    return ::pread(file.get(), &value, sizeof value, static_cast<off_t>(offset)) == sizeof value;
}

// A library has a name; a program that is linked statically has none even where it can lie anywhere.
bool is_library(const Fd& file, const Elf64_Phdr& dynamic) {
    Elf64_Dyn entry;
    for (uint64_t at = 0; at < dynamic.p_filesz && read_at(file, entry, dynamic.p_offset + at);
         at += sizeof entry)
        if (entry.d_tag == DT_SONAME) return true;
    return false;
}

// The dynamic loader, which may stand before a program on the command line, needs none itself.
bool is_linked_statically(const Fd& file) {
    Elf64_Ehdr header;
    bool is_known = file && read_at(file, header, 0) && std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
                    header.e_ident[EI_CLASS] == ELFCLASS64;
    if (!is_known) return false;
    for (unsigned i = 0; i < header.e_phnum; ++i) {
        Elf64_Phdr segment;
        if (!read_at(file, segment, header.e_phoff + i * sizeof segment)) return false;
        if (segment.p_type == PT_INTERP) return false;
        if (segment.p_type == PT_DYNAMIC && is_library(file, segment)) return false;
    }
    return true;
}

// The loader takes no library from the environment of somebody with fewer rights.
bool gains_rights(const Fd& file) {
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) return false;
    return (status.st_mode & S_ISUID && status.st_uid != ::getuid()) ||
           (status.st_mode & S_ISGID && status.st_gid != ::getgid()) ||
           (::getuid() != 0 && ::fgetxattr(file.get(), "security.capability", nullptr, 0) > 0);
}

}  // namespace

std::string what_keeps_libraries_out(const char* program) {
    const Fd file(::open(path_of(program).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file) return "";
    if (gains_rights(file)) return "is set-user-id or has capabilities";
    return is_linked_statically(file) ? "is linked statically" : "";
}

bool can_be_started(const char* program) {
    const std::string path = path_of(program);
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace ovni::run
