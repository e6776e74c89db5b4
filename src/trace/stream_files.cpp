#include "trace/stream_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/error.hpp"
#include "base/file.hpp"
#include "ovni/format.h"
#include "ovni/packed.h"
#include "trace/packed_events.hpp"

namespace ovni {

std::string without_trailing_slashes(std::string directory) {
    while (directory.size() > 1 && directory.back() == '/') directory.pop_back();
    return directory;
}

void check_stream_header(uint64_t size, std::span<const uint8_t> header, const std::string& path) {
    if (size == 0) throw Error("the stream is empty, not even a header", path, 0);
    if (size < OVNI_FORMAT_STREAM_HEADER || header.size() < OVNI_FORMAT_STREAM_HEADER)
        throw Error(fmt::format("the stream has {} bytes, its header alone needs {}", size,
                                static_cast<int>(OVNI_FORMAT_STREAM_HEADER)),
                    path, 0);
    if (!std::equal(std::begin(OVNI_FORMAT_MAGIC), std::end(OVNI_FORMAT_MAGIC), header.begin()))
        throw Error(fmt::format("not a stream: begins with {:02x} instead of the magic 'ovni'",
                                fmt::join(header.first(sizeof OVNI_FORMAT_MAGIC), " ")),
                    path, 0);
    uint32_t version = ovni_format_load_u32(header.data() + sizeof OVNI_FORMAT_MAGIC);
    if (version != OVNI_FORMAT_VERSION)
        throw Error(fmt::format("the stream has format version {}, this program reads {} and {}", version,
                                static_cast<int>(OVNI_FORMAT_VERSION), static_cast<int>(OVNI_PACKED_VERSION)),
                    path, sizeof OVNI_FORMAT_MAGIC);
}

uint64_t check_stream_file(const std::string& path) {
    Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd) throw system_error("cannot open", path);
    struct stat info {};
    if (::fstat(fd.get(), &info) != 0) throw system_error("cannot get the size", path);
    if (!S_ISREG(info.st_mode)) throw Error("not a regular file", path);
    std::array<uint8_t, OVNI_FORMAT_STREAM_HEADER> header{};
    ssize_t n = ::pread(fd.get(), header.data(), header.size(), 0);
    if (n < 0) throw system_error("cannot read", path);
    auto size = static_cast<uint64_t>(info.st_size);
    if (const auto packed = packed_events(fd, size, path)) return packed->size();
    check_stream_header(size, std::span(header).first(static_cast<size_t>(n)), path);
    return size;
}

std::optional<std::string> read_side_file(const std::filesystem::path& path, uint64_t largest) {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) {
        if (errno == ENOENT) return std::nullopt;
        throw system_error("cannot get the size", path);
    }
    return read_file(path, largest);
}

}  // namespace ovni
