// The directory of the trace, before the program starts.
#pragma once

#include <string>

namespace ovni::run {

// The path itself if the working directory was removed.
std::string absolute_if_possible(const std::string& path);

// Replaces %h by the host and %r by the launcher's rank, and makes the path absolute if possible. Throws
// UsageError.
std::string complete_directory(const std::string& variable, const std::string& given);

// The reason if nothing can be created in `directory`, or `directory` itself cannot be created; else empty.
std::string why_not_writable(const std::string& directory);

}  // namespace ovni::run
