// Emission of events inline, on top of the writer of libovni.so: stores straight into the buffer of the
// calling thread, no function call but that of the clock. What is emitted where the thread has no stream is
// dropped silently. Needs nothing but the headers of this folder; link with libovni.
//
//     ovni::emit("MUf");                       // now, no payload
//     ovni::emit("OM[", int64_t{3}, int32_t{5});   // 12 bytes of payload, in this order, without padding
//
// Clocks of one thread must not decrease. The variables and functions named ovni_private_ belong to the
// library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ovni/event_code.hpp"
#include "ovni/format.h"

extern "C" {

uint64_t ovni_clock_now(void);

// Where the thread stores. It owns `head`, releases it after the bytes of an event are there, and takes the
// slow way where head would pass `limit`. At `data` an event of the largest normal size always has room,
// whatever the limit says.
struct ovni_private_window {
    uint8_t* data;
    uint64_t head;
    uint64_t limit;
};

// Null where the thread has no stream.
extern __thread struct ovni_private_window* ovni_private_thread_window
    __attribute__((visibility("default"), tls_model("initial-exec")));

// The slow way: the buffer is full, or the event is one of the life cycle.
__attribute__((cold, visibility("default"))) void ovni_private_emit(const void* event, uint32_t size);

}  // extern "C"

namespace ovni {

inline uint64_t now() noexcept {
    return ovni_clock_now();
}

namespace detail {

// The bytes of one event: header, then the arguments.
template <class... Args>
inline void store_event(uint8_t* at, EventCode code, uint64_t clock, const Args&... args) noexcept {
    constexpr unsigned payload = (sizeof(Args) + ... + 0u);
    uint32_t flags_and_code = (payload == 0 ? 0u : payload - 1) | code.bits() << 8;
    std::memcpy(at, &flags_and_code, sizeof flags_and_code);
    std::memcpy(at + OVNI_FORMAT_CLOCK_AT, &clock, sizeof clock);
    [[maybe_unused]] uint8_t* next = at + OVNI_FORMAT_EVENT_HEADER;
    ((std::memcpy(next, &args, sizeof args), next += sizeof args), ...);
}

template <class... Args>
[[gnu::cold, gnu::noinline]] void emit_slowly(EventCode code, uint64_t clock, Args... args) noexcept {
    uint8_t event[OVNI_FORMAT_EVENT_MAX];
    store_event(event, code, clock, args...);
    ovni_private_emit(event, static_cast<uint32_t>(OVNI_FORMAT_EVENT_HEADER + (sizeof(Args) + ... + 0u)));
}

}  // namespace detail

// Emits with a clock of the caller's, as by now().
template <class... Args>
inline void emit_at(EventCode code, uint64_t clock, Args... args) noexcept {
    static_assert((std::is_trivially_copyable_v<Args> && ...), "arguments are stored as bytes");
    constexpr unsigned payload = (sizeof(Args) + ... + 0u);
    static_assert(payload == 0 || (payload >= 2 && payload <= OVNI_FORMAT_PAYLOAD_MAX),
                  "a payload has 0 or 2 to 16 bytes");
    constexpr unsigned size = OVNI_FORMAT_EVENT_HEADER + payload;
    ovni_private_window* window = ovni_private_thread_window;
    if (window == nullptr) return;
    uint64_t head = window->head;
    bool life_cycle = code.model() == 'O' && code.category() == 'H';
    if (__builtin_expect(life_cycle || head + size > __atomic_load_n(&window->limit, __ATOMIC_RELAXED), 0)) {
        detail::emit_slowly(code, clock, args...);
        return;
    }
    detail::store_event(window->data + head, code, clock, args...);
    __atomic_store_n(&window->head, head + size, __ATOMIC_RELEASE);
}

template <class... Args>
inline void emit(EventCode code, Args... args) noexcept {
    if (ovni_private_thread_window != nullptr) emit_at(code, now(), args...);
}

}  // namespace ovni
