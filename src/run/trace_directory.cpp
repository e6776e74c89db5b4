#include "run/trace_directory.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/directory_pattern.hpp"
#include "base/file.hpp"
#include "base/open_directory.hpp"
#include "ring/posix_io.hpp"
#include "ring/session.hpp"

namespace ovni::run {

namespace {

namespace fs = std::filesystem;

// File systems without files that have no name give an error of their own.
Fd nameless_file(const std::string& directory) {
    Fd file(::open(directory.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (file || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return file;
    std::string name = directory + "/.ovnirun-XXXXXX";
    file = Fd(::mkostemp(name.data(), O_CLOEXEC));
    if (file) ::unlink(name.c_str());
    return file;
}

}  // namespace

std::string complete_directory(const std::string& variable, const std::string& given) {
    char host[HOST_NAME_MAX + 1] = {};
    ::gethostname(host, sizeof host - 1);
    return absolute_if_possible(filled_in(variable, given, host, writer::launcher_rank()));
}

std::string absolute_if_possible(const std::string& path) {
    std::error_code fault;
    const fs::path absolute = fs::absolute(path, fault);
    return fault ? path : absolute.string();
}

std::string why_not_writable(const std::string& directory) {
    fs::path there = directory;
    std::error_code fault;
    if (there.is_relative()) return "it lies in the working directory, which was removed";
    if (is_foreign_link(there)) return "it is a symbolic link of another user, which is not followed";
    while (!fs::exists(there, fault) && there.has_relative_path()) there = there.parent_path();
    if (!fs::is_directory(there, fault)) return there.string() + " is no directory";
    writer::FileSizeSignalHeld held;
    const Fd file = nameless_file(there);
    const char bytes[4096] = {};
    if (!file || (writer::write_at(file.get(), bytes, sizeof bytes, 0) < sizeof bytes && errno != EFBIG))
        return there.string() + ": " + std::strerror(errno);
    return "";
}

}  // namespace ovni::run
