// Hits of patched sites at which nothing fires. Compiled so that it leaves vector registers alone: the
// trampoline has saved the general ones only.
#include "code/own_hits.hpp"
#include "code/patched_hit.hpp"
#include "code/sites.hpp"
#include "ovni/private.h"

namespace ovni::code {

namespace {

// The code of a sanitizer in libovni.so uses vector registers.
#ifdef OVNI_REPORTS_EACH_HIT
constexpr bool reports_each_hit = true;
#else
constexpr bool reports_each_hit = false;
#endif

}  // namespace

// Returns whether the hit has to be reported. A function that is called finds its return address at `stack`.
extern "C" [[gnu::visibility("hidden")]] int ovni_code_count_patched(const Site* site,
                                                                     const uintptr_t* stack) {
    // A site at which nothing is armed is lifted by one report, so not each hit has to ask.
    constexpr uint8_t most_idle = 64;
    if (own_hits.is_reporting || (site->is_function && is_own_code(*stack))) return 0;
    if (!own_hits.frames.is_empty() || site->marker != Marker::none || !site->exits.empty()) return 1;
    if constexpr (reports_each_hit) return 1;
    switch (ovni_private_count_site(site->alarms.data(), site->alarms.size())) {
        case OVNI_PRIVATE_SITE_COUNTED:
            return 0;
        case OVNI_PRIVATE_SITE_IDLE:
            own_hits.idle = static_cast<uint8_t>((own_hits.idle + 1) % most_idle);
            return own_hits.idle == 0;
        default:
            return 1;
    }
}

}  // namespace ovni::code
