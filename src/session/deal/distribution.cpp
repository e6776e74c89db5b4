#include "session/deal/distribution.hpp"

#include <cstdlib>
#include <string_view>

namespace ovni {

// On many ranks small enough to stay in the cache while records are exchanged.
size_t Distribution::window_size() const {
    if (const char* text = std::getenv("OVNI_TEST_WINDOW")) return std::strtoul(text, nullptr, 10);
    constexpr size_t alone = size_t{8} << 10, of_many = size_t{32} << 10;
    return ranks().is_alone() ? alone : of_many;
}

Writer::Mode Distribution::writer_mode() const {
    const int ranks_here = ranks().is_alone() ? 1 : ranks_of_node();
    if (const char* text = std::getenv("OVNI_TEST_WRITER"))
        return text == std::string_view("thread") ? Writer::Mode::own_thread : Writer::Mode::at_once;
    return Writer::best_mode(ranks_here);
}

}  // namespace ovni
