#include "base/temporary_output.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <string_view>

#include "base/file.hpp"

namespace ovni {

namespace {

namespace fs = std::filesystem;

enum class Lock { taken, of_another, impossible };

// Files have locks of the open file: HDF5 takes flock() for itself. Directories have no other than flock().
Lock lock(const Fd& output, const struct stat& what) {
    struct flock all {};
    all.l_type = F_WRLCK;
    all.l_whence = SEEK_SET;
    const int result = S_ISDIR(what.st_mode) ? ::flock(output.get(), LOCK_EX | LOCK_NB)
                                             : ::fcntl(output.get(), F_OFD_SETLK, &all);
    if (result == 0) return Lock::taken;
    return errno == EWOULDBLOCK || errno == EACCES ? Lock::of_another : Lock::impossible;
}

bool is_number(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return '0' <= c && c <= '9'; });
}

void remove_unless_held(const fs::path& path, bool is_directory) {
    constexpr int common = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
    const Fd output(::open(path.c_str(), common | (is_directory ? O_RDONLY | O_DIRECTORY : O_RDWR)));
    struct stat what {};
    if (!output || ::fstat(output.get(), &what) != 0 || (!is_directory && !S_ISREG(what.st_mode))) return;
    if (lock(output, what) != Lock::taken) return;
    std::error_code ignored;
    fs::remove_all(path, ignored);
}

}  // namespace

fs::path temporary_name(const fs::path& target) {
    fs::path name = target;
    return name += ".tmp." + std::to_string(::getpid());
}

void remove_left_over(const fs::path& target) {
    const std::string begin = target.filename().string() + ".tmp.";
    const fs::path parent = target.has_parent_path() ? target.parent_path() : ".";
    std::error_code fault;
    for (fs::directory_iterator entry(parent, fault), end; !fault && entry != end; entry.increment(fault)) {
        const std::string name = entry->path().filename();
        if (!name.starts_with(begin) || !is_number(std::string_view(name).substr(begin.size()))) continue;
        std::error_code unknown;
        remove_unless_held(entry->path(), fs::is_directory(entry->symlink_status(unknown)));
    }
}

bool hold(const Fd& output) {
    struct stat what {};
    if (::fstat(output.get(), &what) != 0 || what.st_nlink == 0) return false;
    if (lock(output, what) == Lock::of_another) return false;
    return ::fstat(output.get(), &what) == 0 && what.st_nlink > 0;
}

}  // namespace ovni
