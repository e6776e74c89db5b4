#include "base/open_directory.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "core/foreign_link.hpp"

namespace ovni {

namespace {

namespace fs = std::filesystem;

constexpr int as_place = O_PATH | O_DIRECTORY | O_CLOEXEC;

// `shown`: the path for messages.
Fd open_at(int parent, const fs::path& name, const fs::path& shown) {
    Fd found(::openat(parent, name.c_str(), as_place | O_NOFOLLOW));
    if (found) return found;
    const int fault = errno;
    const Fd link(::openat(parent, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat status {};
    if (link && ::fstat(link.get(), &status) == 0 && S_ISLNK(status.st_mode)) {
        if (is_foreign_link(status)) throw Error(foreign_link_text, shown);
        char text[PATH_MAX];
        const ssize_t size = ::readlinkat(link.get(), "", text, sizeof text);
        if (size < 0) throw system_error("cannot read the link", shown);
        const fs::path target = name.parent_path() / std::string_view(text, static_cast<size_t>(size));
        found = Fd(::openat(parent, target.c_str(), as_place));
        if (!found) throw system_error("cannot open the directory", shown);
        return found;
    }
    errno = fault;
    throw system_error("cannot open the directory", shown);
}

fs::path without_slash(const fs::path& path) {
    fs::path plain = path;
    while (plain.has_relative_path() && (plain.filename().empty() || plain.filename() == ".") && plain != ".")
        plain = plain.parent_path();
    return plain.empty() ? "." : plain;
}

}  // namespace

bool is_foreign_link(const fs::path& path) {
    return is_foreign_link(without_slash(path).c_str());
}

Fd open_directory(const fs::path& path) {
    return open_at(AT_FDCWD, without_slash(path), path);
}

Fd open_directory_in(const fs::path& directory, const fs::path& below, Missing missing) {
    Fd place = open_directory(directory);
    fs::path shown = directory;
    for (const fs::path& part : below) {
        shown /= part;
        if (part.empty()) continue;
        if (missing == Missing::is_made && ::mkdirat(place.get(), part.c_str(), 0777) != 0 && errno != EEXIST)
            throw system_error("cannot make the directory", shown);
        place = open_at(place.get(), part, shown);
    }
    return place;
}

fs::path name_of_open(const Fd& directory, const fs::path& path) {
    const fs::path open = "/proc/self/fd/" + std::to_string(directory.get());
    return ::access(open.c_str(), F_OK) == 0 ? open : path;
}

int64_t number_of(const Fd& directory) {
    struct stat status {};
    if (::fstat(directory.get(), &status) != 0) throw system_error("cannot look at the directory", "");
    return static_cast<int64_t>(status.st_ino);
}

void expect_unchanged(const Fd& directory, const fs::path& path) {
    struct stat opened {
    }, there{};
    const bool is_same = ::fstat(directory.get(), &opened) == 0 && ::lstat(path.c_str(), &there) == 0 &&
                         opened.st_dev == there.st_dev && opened.st_ino == there.st_ino;
    if (!is_same)
        throw Error("was exchanged for something else meanwhile: name another place for the output", path);
}

}  // namespace ovni
