// Names of directories with the host and the rank in them.
#pragma once

#include <string>
#include <string_view>

namespace ovni {

// "%h" becomes the host up to its first dot, "%r" the rank, "%%" a percent sign. Throws UsageError for
// anything else with a percent sign; `option` is its subject.
std::string filled_in(std::string_view option, const std::string& pattern, const std::string& host,
                      const std::string& rank);

}  // namespace ovni
