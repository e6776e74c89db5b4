#include "ring/settings.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/page.hpp"
#include "core/parse_number.hpp"
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

// True if the setting is `other`. It is one of two words.
bool is_other(const char* name, const char* usual, const char* other) {
    const char* text = secure_getenv(name);
    if (!text || !*text || strcmp(text, usual) == 0) return false;
    if (strcmp(text, other) == 0) return true;
    complain(Trouble::setting, "ovni", "%s is %s or %s, not %s", name, usual, other, text);
    return false;
}

std::optional<uint64_t> nanoseconds_of(const char* name) {
    constexpr double nanoseconds = 1e9, longest = 1e6;  // s
    const char* text = secure_getenv(name);
    if (!text || !*text) return std::nullopt;
    const double seconds = parse_number<double>(text).value_or(0);
    if (seconds > 0 && seconds <= longest) return static_cast<uint64_t>(seconds * nanoseconds);
    complain(Trouble::setting, "ovni", "%s is no number of seconds: %s", name, text);
    return std::nullopt;
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
    if (is_other("OVNI_ON_FULL", "block", "discard")) settings.on_full = OnFull::discard;
    if (is_other("OVNI_BUFFER_MODE", "rings", "shared")) settings.mode = BufferMode::shared;
    if (is_other("OVNI_STREAM", "plain", "packed")) settings.form = StreamForm::packed;
    settings.flush_age = nanoseconds_of("OVNI_FLUSH_AGE").value_or(settings.flush_age);
    return settings;
}

}  // namespace ovni::writer
