// Names of directories that contain the host and the rank.
#pragma once

#include <string>
#include <string_view>

namespace ovni {

// Replaces "%h" by the host up to its first dot, "%r" by the rank, "%%" by a percent sign. Throws UsageError,
// about `option`, for other uses of a percent sign.
std::string filled_in(std::string_view option, const std::string& pattern, const std::string& host,
                      const std::string& rank);

}  // namespace ovni
