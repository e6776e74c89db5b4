#include "base/temporary_output.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <string_view>

#include "base/error.hpp"
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

// PID.RANDOM, or PID as other versions name them.
bool is_suffix(std::string_view text) {
    const size_t dot = std::min(text.find('.'), text.size());
    return is_number(text.substr(0, dot)) && (dot == text.size() || is_number(text.substr(dot + 1)));
}

// False if a process holds it.
bool remove_unless_held(const fs::path& path, bool is_directory) {
    constexpr int common = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
    const Fd output(::open(path.c_str(), common | (is_directory ? O_RDONLY | O_DIRECTORY : O_RDWR)));
    struct stat what {};
    if (!output || ::fstat(output.get(), &what) != 0 || (!is_directory && !S_ISREG(what.st_mode)))
        return true;
    const Lock found = lock(output, what);
    std::error_code ignored;
    if (found == Lock::taken) fs::remove_all(path, ignored);
    return found != Lock::of_another;
}

uint64_t random_number() {
    uint64_t number = 0;
    if (::getrandom(&number, sizeof number, 0) != sizeof number)
        throw system_error("cannot get random numbers for the names of files", "/dev/urandom");
    return number;
}

}  // namespace

fs::path temporary_name(const fs::path& target) {
    fs::path name = target;
    return name += ".tmp." + std::to_string(::getpid()) + "." + std::to_string(random_number());
}

Fd make_new_file(const fs::path& path) {
    return Fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
}

Fd make_new_directory(const fs::path& path, const fs::path& output, unsigned mode) {
    if (::mkdir(path.c_str(), mode) != 0) throw system_error("cannot make the directory", output);
    Fd made(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    hold(made);
    return made;
}

bool remove_left_over(const fs::path& target) {
    const std::string ours = std::to_string(::getpid()) + ".";
    bool is_ours_held = false;
    const std::string begin = target.filename().string() + ".tmp.";
    const fs::path parent = target.has_parent_path() ? target.parent_path() : ".";
    std::error_code fault;
    for (fs::directory_iterator entry(parent, fault), end; !fault && entry != end; entry.increment(fault)) {
        const std::string name = entry->path().filename();
        if (!name.starts_with(begin)) continue;
        const std::string_view suffix = std::string_view(name).substr(begin.size());
        if (!is_suffix(suffix)) continue;
        std::error_code unknown;
        const bool is_held =
            !remove_unless_held(entry->path(), fs::is_directory(entry->symlink_status(unknown)));
        is_ours_held |= is_held && suffix.starts_with(ours);
    }
    return is_ours_held;
}

bool hold(const Fd& output) {
    struct stat what {};
    if (::fstat(output.get(), &what) != 0 || what.st_nlink == 0) return false;
    if (lock(output, what) == Lock::of_another) return false;
    return ::fstat(output.get(), &what) == 0 && what.st_nlink > 0;
}

}  // namespace ovni
