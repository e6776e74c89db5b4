// Command lines in pieces.
#pragma once

#include <string>
#include <vector>

namespace ovni::test {

using Words = std::vector<std::string>;

inline Words operator+(Words all, const Words& more) {
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

}  // namespace ovni::test
