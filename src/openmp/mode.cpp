#include "openmp/mode.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>

namespace ovni::openmp {

namespace {

// True if the list names a library before ours.
bool others_come_first(const char* list) noexcept {
    const char* own = strstr(list, "libovni-openmp.so");
    for (const char* at = list; *at && (!own || at < own);) {
        const size_t length = strcspn(at, ":");
        const bool is_own = own && at + length > own;
        if (length > 0 && !is_own) return true;
        at += length + (at[length] == ':' ? 1 : 0);
    }
    return false;
}

}  // namespace

bool is_wanted() noexcept {
    const char* mode = secure_getenv("OVNI_OPENMP");
    return !mode || strcmp(mode, "off") != 0;
}

bool tool_is_wanted() noexcept {
    static std::atomic<bool> was_asked{false};
    const char* list = secure_getenv("OMP_TOOL_LIBRARIES");
    if (!is_wanted()) return false;
    return was_asked.exchange(true, std::memory_order_relaxed) || !list || !others_come_first(list);
}

}  // namespace ovni::openmp
