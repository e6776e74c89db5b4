// Lists of CPUs in metadata: "0-3,8".
#pragma once

#include <set>
#include <string_view>

namespace ovni {

// Empty if it is no such list.
std::set<int> cpus_in(std::string_view list);

}  // namespace ovni
