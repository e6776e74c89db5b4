#include "run/linkage.hpp"

#include <elf.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <string>

#include "base/file.hpp"
#include "run/execute.hpp"

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

// The path of its dynamic loader; empty if it has none.
std::string loader_of(const Fd& file) {
    Elf64_Ehdr header;
    if (!file || !read_at(file, header, 0) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return {};
    for (unsigned i = 0; i < header.e_phnum && header.e_ident[EI_CLASS] == ELFCLASS64; ++i) {
        Elf64_Phdr segment;
        if (!read_at(file, segment, header.e_phoff + i * sizeof segment)) return {};
        if (segment.p_type != PT_INTERP || segment.p_filesz > PATH_MAX) continue;
        std::string path(segment.p_filesz, '\0');
        const ssize_t got =
            ::pread(file.get(), path.data(), path.size(), static_cast<off_t>(segment.p_offset));
        if (got != static_cast<ssize_t>(path.size())) return {};
        return path.substr(0, path.find('\0'));
    }
    return {};
}

// The text that a program prints on stdout.
std::string output_of(const std::vector<std::string>& words) {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    Pipe pipe = make_pipe();
    posix_spawn_file_actions_t files;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_adddup2(&files, pipe.write.get(), STDOUT_FILENO);
    ::posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    const bool is_started =
        ::posix_spawn(&child, arguments[0], &files, nullptr, arguments.data(), environ) == 0;
    ::posix_spawn_file_actions_destroy(&files);
    pipe.write = Fd();
    std::string output;
    char part[4096];
    for (ssize_t got; is_started && (got = ::read(pipe.read.get(), part, sizeof part)) != 0;) {
        if (got > 0) output.append(part, static_cast<size_t>(got));
        if (got < 0 && errno != EINTR) break;
    }
    while (is_started && ::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    return output;
}

// The loader takes no library from the environment of a user with fewer rights.
bool gains_rights(const Fd& file) {
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) return false;
    return (status.st_mode & S_ISUID && status.st_uid != ::getuid()) ||
           (status.st_mode & S_ISGID && status.st_gid != ::getgid()) ||
           (::getuid() != 0 && ::fgetxattr(file.get(), "security.capability", nullptr, 0) > 0);
}

}  // namespace

Obstacle what_keeps_libraries_out(const char* program) {
    const Fd file(::open(path_of(program).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file) return {};
    if (gains_rights(file)) return {"is set-user-id or has capabilities", "run a copy of it without these"};
    if (is_linked_statically(file)) return {"is linked statically", "link it without -static"};
    return {};
}

// "\tlibmpi.so.40 => /usr/lib/libmpi.so.40 (0x00007f0000000000)"
std::vector<std::string> libraries_of(const char* program) {
    const std::string path = path_of(program);
    const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    const std::string loader = loader_of(file);
    std::vector<std::string> names;
    if (loader.empty()) return names;
    std::istringstream lines(output_of({loader, "--list", path}));
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string name;
        words >> name;
        names.push_back(std::filesystem::path(name).filename());
    }
    return names;
}

bool can_be_started(const char* program) {
    const std::string path = path_of(program);
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace ovni::run
