// The directory of the trace, before the program starts.
#pragma once

#include <string>

namespace ovni::run {

// The path itself if the working directory was removed.
std::string absolute_if_possible(const std::string& path);

// An absolute path, if possible, with the host and the rank that the launcher told instead of %h and %r.
// Throws UsageError.
std::string complete_directory(const std::string& variable, const std::string& given);

// Why nothing can be made in `directory`, or where it will be made; empty if something can.
std::string why_not_writable(const std::string& directory);

}  // namespace ovni::run
