#include "mpi/interpose/streams/call_sites.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>

#include "core/wanted_events.hpp"
#include "mpi/interpose/base/report.hpp"
#include "mpi/interpose/base/spin_lock.hpp"
#include "mpi/interpose/library/foreign_library.hpp"
#include "mpi/interpose/streams/selection.hpp"
#include "ovni/mpi_events.h"
#include "ovni/private.h"

namespace ovni::mpi {

namespace {

Report bad_levels{"OVNI_CALLSITES is a number from 0 to 16, not '%s'; 1 is taken"};

constexpr uint8_t most_levels = 16;
constexpr uint32_t no_site = OVNI_MPI_NO_SITE;

std::atomic<bool> records_each_call{false};

// Sites of the process by their texts.
SpinLock changing_sites;
constinit HandleTable<uint32_t> numbers;
uint32_t last_site = no_site;

// The innermost caller first.
struct Chain {
    std::array<const void*, most_levels> addresses;
    uint8_t size;
    std::span<const void* const> all() const { return std::span(addresses).first(size); }
};

// The next frame, if frames are linked and that one lies in the stack of the thread; else null. A caller
// without a frame pointer may have left any number in its place.
const void* const* outer(Thread& thread, const void* const* frame) noexcept {
    const void* next = frame[0];
    auto place = reinterpret_cast<uintptr_t>(next);
    bool may_be = next > static_cast<const void*>(frame) && place % sizeof(void*) == 0 &&
                  is_on_stack(thread, frame) && is_on_stack(thread, next) &&
                  is_on_stack(thread, reinterpret_cast<const void*>(place + 2 * sizeof(void*) - 1));
    return may_be ? static_cast<const void* const*>(next) : nullptr;
}

Chain chain_of(Thread& thread, uint8_t levels) noexcept {
    Chain chain;
    chain.addresses[0] = thread.caller;
    chain.size = 1;
    auto* frame = static_cast<const void* const*>(thread.outermost);
    // A wrapper that hands over is no caller. Its frame is linked, as its caller's need not be.
    while (is_of_predecessor(chain.addresses[0])) {
        frame = outer(thread, frame);
        if (!frame) return chain;
        chain.addresses[0] = frame[1];
    }
    while (chain.size < levels && (frame = outer(thread, frame))) chain.addresses[chain.size++] = frame[1];
    return chain;
}

uint64_t key_of_chain(const Chain& chain) noexcept {
    auto key = reinterpret_cast<uintptr_t>(chain.addresses[0]);
    for (const void* address : chain.all().subspan(1)) key = mix(key, reinterpret_cast<uintptr_t>(address));
    return key;
}

// True if code of a module is there, behind a call: then it may be a return address.
bool is_behind_call(const void* address, const CodePlace& place) noexcept {
    if (place.module == CodePlace::no_module) return false;
#ifdef __x86_64__
    constexpr uint8_t near_call = 0xe8, indirect = 0xff, kind = 0x38, call_kind = 0x10;
    constexpr int longest = 7;
    auto* behind = static_cast<const uint8_t*>(address);
    if (place_of(behind - longest + 1).module != place.module) return false;
    if (behind[-5] == near_call) return true;
    for (int size = 2; size <= longest; ++size)
        if (behind[-size] == indirect && (behind[1 - size] & kind) == call_kind) return true;
    return false;
#else
    (void)address;
    return true;
#endif
}

// "MPI_Send 0+0x11d5 2+0x4f0": the function, then the places of its callers.
struct SiteText {
    static constexpr size_t longest_place = 32;
    char text[64 + most_levels * longest_place];
    std::array<uint32_t, most_levels> modules;
    uint8_t size = 0;
};

SiteText text_of(Function function, const Chain& chain) noexcept {
    SiteText site;
    char* to = site.text + snprintf(site.text, sizeof site.text, "%s", row_of(function).name);
    for (const void* address : chain.all()) {
        CodePlace place = place_of(address);
        if (site.size > 0 && !is_behind_call(address, place)) break;
        site.modules[site.size++] = place.module;
        const auto offset = static_cast<unsigned long>(place.offset);
        if (place.module == CodePlace::no_module)
            to += snprintf(to, SiteText::longest_place, " ?+0x%lx", offset);
        else
            to += snprintf(to, SiteText::longest_place, " %u+0x%lx", place.module, offset);
    }
    return site;
}

// The number of the site in the process; no_site without memory.
uint32_t site_number(const char* text) noexcept {
    uint64_t key = 0;
    for (const char* c = text; *c; ++c) key = mix(key, static_cast<uint8_t>(*c));
    SpinLock::Guard guard(changing_sites);
    if (uint32_t* known = numbers.find(key)) return *known;
    uint32_t* number = numbers.insert(key);
    return number ? *number = ++last_site : no_site;
}

void describe_modules(const SiteText& site) noexcept {
    constexpr size_t longest_module = PATH_MAX + 128;
    char path[32], text[longest_module];
    for (uint32_t module : std::span(site.modules).first(site.size)) {
        if (module == CodePlace::no_module) continue;
        snprintf(path, sizeof path, "mpi.modules.%u", module);
        describe_module(module, text, sizeof text);
        ovni_private_attribute attribute{path, text};
        ovni_private_describe(&attribute, 1);
    }
}

// Describes a site that the stream does not know yet.
[[gnu::cold, gnu::noinline]] uint32_t describe(Thread& thread, Function function, uint8_t levels,
                                               uint64_t key) noexcept {
    SiteText site = text_of(function, chain_of(thread, levels));
    uint32_t number = site_number(site.text);
    uint32_t* place = number == no_site ? nullptr : thread.sites.numbers.insert(key);
    if (!place) return no_site;
    describe_modules(site);
    char path[32];
    snprintf(path, sizeof path, "mpi.sites.%u", number);
    ovni_private_attribute attribute{path, site.text};
    ovni_private_describe(&attribute, 1);
    return *place = number;
}

// The stream's picture is out of date after a loss, the meaning of addresses after a file was unloaded.
void renew(Thread& thread) noexcept {
    DescribedSites& described = thread.sites;
    uint32_t losses = losses_of_stream(), gone = unloadings.load(std::memory_order_relaxed);
    if (described.losses != losses || described.unloadings != gone) forget_call_sites(thread);
    if (described.unloadings != gone) described.numbers.clear();
    described.losses = losses;
    described.unloadings = gone;
}

// Readers add callers that the compiler has inlined, up to as many as are wanted.
void begin_sites(DescribedSites& described, uint8_t levels) noexcept {
    if (described.version_known) return;
    ovni_private_require("mpi", OVNI_MPI_VERSION_OF_SITES);
    char text[4];
    snprintf(text, sizeof text, "%u", levels);
    const ovni_private_attribute callers{"mpi.callers", text};
    if (levels > 1) ovni_private_describe(&callers, 1);
    described.version_known = true;
}

const char* variable_text(const char* variable) noexcept {
    const char* value = secure_getenv(variable);
    return value ? value : "";
}

uint8_t wanted_levels() noexcept {
    const char* text = variable_text("OVNI_CALLSITES");
    if (!*text) return 1;
    char* end = nullptr;
    unsigned long levels = strtoul(text, &end, 10);
    if (*text >= '0' && *text <= '9' && !*end && levels <= most_levels) return static_cast<uint8_t>(levels);
    bad_levels.once(text);
    return 1;
}

}  // namespace

void select_call_sites() noexcept {
    const char* flight = variable_text("OVNI_FLIGHT");
    records_each_call.store(*flight && *flight != '0', std::memory_order_relaxed);
    find_predecessor();
    // A program that describes itself may have a reader of its own, who knows no call sites.
    const bool is_left_out =
        wants_reference_events() || (!ovni_private_process_is_ours() && !*variable_text("OVNI_CALLSITES"));
    call_site_levels.store(is_left_out ? 0 : wanted_levels(), std::memory_order_relaxed);
}

void record_call_site_now(Thread& thread, Function function, uint64_t at) noexcept {
    renew(thread);
    const auto row = static_cast<uint16_t>(function);
    const uint8_t levels = call_site_levels.load(std::memory_order_relaxed);
    const uint64_t key = key_of_chain(chain_of(thread, levels));
    DescribedSites& described = thread.sites;
    if (described.shown[row] == key) return;
    // User addresses have less than 48 bits.
    const uint64_t key_of_site = key ^ static_cast<uint64_t>(row) << 48;
    uint32_t* known = described.numbers.find(key_of_site);
    uint32_t number = known ? *known : describe(thread, function, levels, key_of_site);
    begin_sites(described, levels);
    ovni::emit_at(OVNI_MPI_SITE, at, number);
    if (number == no_site) return forget_call_sites(thread);
    if (thread.is_on && !records_each_call.load(std::memory_order_relaxed)) described.shown[row] = key;
}

}  // namespace ovni::mpi
