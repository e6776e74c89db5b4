// The files of one stream: names, header, and reading the files next to stream.obs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/file.hpp"

namespace ovni {

inline constexpr const char* metadata_name = "stream.json";
inline constexpr const char* events_name = "stream.obs";
inline constexpr const char* gaps_name = "stream.gaps.json";

// Thousands of these are made at start-up, so directories of streams are text.
inline std::string file_in(const std::string& directory, std::string_view name) {
    std::string path = directory;
    if (!path.empty() && path.back() != '/') path += '/';
    return path.append(name);
}

std::string without_trailing_slashes(std::string directory);

// Throws Error if a file of `size` bytes that begins with `header` is no readable stream.
void check_stream_header(uint64_t size, std::span<const uint8_t> header, const std::string& path);

// Checks the header of stream.obs and returns the size in bytes of the plain stream. Needs no permission to
// write.
uint64_t check_stream_file(const std::string& path);

// The content of a side file (JSON) of a stream; nothing if it is missing. Throws Error if it is no regular
// file or larger than `largest` bytes.
std::optional<std::string> read_side_file(const std::filesystem::path& path,
                                          uint64_t largest = largest_whole_file);

}  // namespace ovni
