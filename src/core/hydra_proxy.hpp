// Identifies a job of MPICH's hydra, which gives its processes no name of the job. A proxy on each node
// starts them, with the address of mpiexec on its command line: "--control-port host:41235". The address is
// unique among concurrent jobs; a later job may reuse it.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace ovni {

class HydraProxy {
 public:
    // Looks for a proxy among the ancestors of this process: text() is empty if there is none.
    HydraProxy() noexcept {
        constexpr int farthest = 16;
        const int before = errno;
        int process = getppid();
        for (int i = 0; i < farthest && process > 1 && !reads_port_of(process); ++i)
            process = parent_of(process);
        errno = before;
    }
    const char* text() const noexcept { return text_; }

 private:
    static std::string_view read_about(int process, const char* what, char* to, size_t room) noexcept {
        char path[64];
        snprintf(path, sizeof path, "/proc/%d/%s", process, what);
        const int file = ::open(path, O_RDONLY | O_CLOEXEC);
        const ssize_t size = file < 0 ? -1 : ::read(file, to, room);
        if (file >= 0) ::close(file);
        return {to, size > 0 ? static_cast<size_t>(size) : 0};
    }
    // "12 (a name) S 11 ...": the name may have anything in it.
    static int parent_of(int process) noexcept {
        char text[512];
        const std::string_view facts = read_about(process, "stat", text, sizeof text - 1);
        const size_t name_end = facts.rfind(')');
        constexpr size_t to_parent = 4;
        if (name_end == facts.npos || name_end + to_parent >= facts.size()) return 0;
        text[facts.size()] = '\0';
        return atoi(text + name_end + to_parent);
    }
    bool reads_port_of(int process) noexcept {
        char text[2048];
        std::string_view words = read_about(process, "cmdline", text, sizeof text);
        using namespace std::string_view_literals;
        constexpr std::string_view option = "\0--control-port\0"sv;
        const std::string_view program(words.data(), std::min(words.find('\0'), words.size()));
        const size_t at = words.find(option);
        if (!program.ends_with("pmi_proxy") || at == words.npos) return false;
        words.remove_prefix(at + option.size());
        const size_t size = std::min({words.find('\0'), words.size(), sizeof text_ - 1});
        memcpy(text_, words.data(), size);
        text_[size] = '\0';
        return *text_ != '\0';
    }

    char text_[256] = {};
};

}  // namespace ovni
