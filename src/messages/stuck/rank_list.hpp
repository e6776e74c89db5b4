// Ranks as a text: "rank 4", "ranks 1, 3-5".
#pragma once

#include <string>
#include <vector>

namespace ovni {

// `ranks` ascend.
std::string rank_list(const std::vector<int>& ranks);

}  // namespace ovni
