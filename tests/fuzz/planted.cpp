// A target with a fault, so that a test can see a crash be found.
#include <cstdlib>

#include "tests/fuzz/target.hpp"

namespace ovni::fuzz {

void take(std::string_view input) {
    if (input.size() > 3 && input[1] == '\0' && input != "good") std::abort();
}

}  // namespace ovni::fuzz
