#include "ring/settings.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/page.hpp"
#include "ring/diagnostics.hpp"

namespace ovni::writer {
namespace {

// 0 where the variable is not set or makes no sense.
size_t size_of(const char* name) {
    const char* text = secure_getenv(name);
    if (!text || !*text) return 0;
    if (std::optional<size_t> size = parse_size(text)) return *size;
    complain(Trouble::setting, "ovni", "%s is no size: %s", name, text);
    return 0;
}

}  // namespace

std::optional<size_t> parse_size(const char* text) {
    char* rest = nullptr;
    errno = 0;
    unsigned long long number = strtoull(text, &rest, 10);
    const char* units = "kmg";
    const char* unit = *rest ? strchr(units, *rest | 0x20) : nullptr;  // small letters, too
    unsigned shift = unit ? 10 * static_cast<unsigned>(unit - units + 1) : 0;
    bool understood = rest != text && errno == 0 && (!*rest || (unit && !rest[1])) && *text != '-' &&
                      number <= (SIZE_MAX >> shift);
    if (!understood) return std::nullopt;
    return static_cast<size_t>(number) << shift;
}

Settings Settings::from_environment() {
    Settings settings;
    if (size_t ring = size_of("OVNI_BUFFER"))
        settings.ring = std::clamp(ring, smallest_ring, largest_ring) / page_bytes * page_bytes;
    if (size_t flight = size_of("OVNI_FLIGHT"))
        settings.flight = std::clamp(flight, smallest_flight, largest_flight) / page_bytes * page_bytes;
    settings.all_rings = size_of("OVNI_BUFFER_TOTAL");
    settings.limit = size_of("OVNI_LIMIT");
    const char* on_full = secure_getenv("OVNI_ON_FULL");
    if (on_full && strcmp(on_full, "discard") == 0)
        settings.on_full = OnFull::discard;
    else if (on_full && *on_full && strcmp(on_full, "block") != 0)
        complain(Trouble::setting, "ovni", "OVNI_ON_FULL is block or discard, not %s", on_full);
    const char* mode = secure_getenv("OVNI_BUFFER_MODE");
    if (mode && strcmp(mode, "shared") == 0)
        settings.mode = BufferMode::shared;
    else if (mode && *mode && strcmp(mode, "rings") != 0)
        complain(Trouble::setting, "ovni", "OVNI_BUFFER_MODE is rings or shared, not %s", mode);
    return settings;
}

}  // namespace ovni::writer
