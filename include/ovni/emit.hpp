// Inline emission of events, on top of the writer of libovni.so: stores directly into the buffer of the
// calling thread, without a function call except for the clock. Events of a thread without a stream are
// dropped silently. Needs only the headers of this folder; link with libovni.
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
#include "ovni/tsc_clock.hpp"

extern "C" {

uint64_t ovni_clock_now(void);

// The place where a thread stores events: at data + head, while head does not pass limit. An event is
// recorded for good when its end is released in `published`. During an emission `busy` is an address in the
// stack of the emitting function. A signal handler that finds it set has interrupted an emission and takes
// the slow path. In a fork's child all members are zero.
struct ovni_private_window {
    uint8_t* data;
    uint64_t head;
    uint64_t limit;
    uint64_t* published;
    uintptr_t busy;
    uint64_t last;  // the newest clock
    ovni::ClockPage* clock;
    const uint64_t* gate;  // bits of detail::gate_place(): events that the library has to look at first
    const uint64_t* off;   // null; while recording is off: the events of `gate` that are not simply dropped
    uint32_t running;      // 1: life cycle and gate allow events of the thread; 0: unknown
    uint32_t losses;       // number of lost events: facts in the stream may be missing
    ovni::detail::SegmentGuess segment;  // of the clock, from an earlier reading
};

// Null if the thread has no stream.
extern __thread struct ovni_private_window* ovni_private_thread_window
    __attribute__((visibility("default"), tls_model("initial-exec")));

// The slow path: there is no room, an emission was interrupted, or the library has to look at the event.
__attribute__((cold, visibility("default"))) void ovni_private_emit(const void* event, uint32_t size);

// The slow path for an event that has already passed the gate.
__attribute__((cold, visibility("default"))) void ovni_private_emit_passed(const void* event, uint32_t size);

// Passes the event of an emission that has begun to the gate. 1: the emission goes on; 0: it is over. A clock
// of all ones is read later.
__attribute__((visibility("default"))) int ovni_private_pass(struct ovni_private_window* window,
                                                             const void* event, uint32_t size);

// The clock at `ticks`, for which the window's segment was not valid. Stores the newest segment in the
// window, unless the caller is a handler that interrupted an emission. is_emitting: 1 if the caller has begun
// an emission.
__attribute__((cold, visibility("default"))) uint64_t ovni_private_clock_at(
    struct ovni_private_window* window, uint64_t ticks, uint32_t is_emitting);

// 1 if the emission that seems to be in progress was abandoned. `frame`: address of the caller's frame.
__attribute__((cold, visibility("default"))) int ovni_private_abandoned(struct ovni_private_window* window,
                                                                        uintptr_t frame);

}  // extern "C"

namespace ovni {

inline uint64_t now() noexcept {
    return ovni_clock_now();
}

namespace detail {

// For use inside an emission.
inline uint64_t read_clock_of(ovni_private_window& window) noexcept {
    SegmentGuess guess = load_guess(window.segment);
    uint64_t t = HostClocks::ticks();
    if (__builtin_expect(holds_at(*window.clock, guess, t), 1)) return guess.at(t);
    return ovni_private_clock_at(&window, t, 1);
}
// For use outside of an emission. `otherwise` reads the clock if the thread has no stream, or if its window
// was cleared in a fork's child.
template <class Otherwise>
inline uint64_t read_thread_clock(Otherwise otherwise) noexcept {
    ovni_private_window* window = ovni_private_thread_window;
    if (__builtin_expect(window == nullptr, 0)) return otherwise();
    const ClockPage* page = window->clock;
    SegmentGuess guess = load_guess(window->segment);
    if (__builtin_expect(page == nullptr || guess.slot == nullptr, 0)) return otherwise();
    uint64_t t = HostClocks::ticks();
    if (__builtin_expect(holds_at(*page, guess, t), 1)) return guess.at(t);
    return ovni_private_clock_at(window, t, 0);
}

}  // namespace detail

// The clock for events of the calling thread, read without waiting for earlier loads of the program.
inline uint64_t stream_now() noexcept {
    return detail::read_thread_clock(now);
}

namespace detail {

__extension__ using PayloadBits = unsigned __int128;

// A ready payload, the `size` lowest bytes of a number, in place of the arguments.
struct Bits {
    PayloadBits payload;
    unsigned size;
};

template <class... Args>
constexpr unsigned event_size(const Args&...) {
    return static_cast<unsigned>(OVNI_FORMAT_EVENT_HEADER + (sizeof(Args) + ... + 0u));
}
inline unsigned event_size(const Bits& bits) {
    return static_cast<unsigned>(OVNI_FORMAT_EVENT_HEADER) + bits.size;
}

inline void store_header(uint8_t* at, EventCode code, uint64_t clock, unsigned payload) noexcept {
    uint32_t flags_and_code = ovni_format_flags(payload) | code.bits() << 8;
    std::memcpy(at, &flags_and_code, sizeof flags_and_code);
    std::memcpy(at + OVNI_FORMAT_CLOCK_AT, &clock, sizeof clock);
}

// The bytes of one event: header, then the arguments.
template <class... Args>
inline void store_event(uint8_t* at, EventCode code, uint64_t clock, const Args&... args) noexcept {
    store_header(at, code, clock, (sizeof(Args) + ... + 0u));
    [[maybe_unused]] uint8_t* next = at + OVNI_FORMAT_EVENT_HEADER;
    ((std::memcpy(next, &args, sizeof args), next += sizeof args), ...);
}
// Always stores OVNI_FORMAT_EVENT_MAX bytes.
inline void store_event(uint8_t* at, EventCode code, uint64_t clock, const Bits& bits) noexcept {
    store_header(at, code, clock, bits.size);
    std::memcpy(at + OVNI_FORMAT_EVENT_HEADER, &bits.payload, sizeof bits.payload);
}

constexpr uint64_t any_clock = UINT64_MAX;

// The gate has a bit for each of 2^13 places. Two codes may share a place; the library then looks at both.
constexpr unsigned gate_place_bits = 13;
constexpr unsigned gate_words = (1u << gate_place_bits) / 64;
constexpr uint32_t gate_place(EventCode code) {
    return code.bits() * 0x9e3779b1u >> (32 - gate_place_bits);
}
constexpr bool has_bit(const uint64_t* bits, EventCode code) {
    uint32_t place = gate_place(code);
    return (bits[place / 64] >> place % 64 & 1) != 0;
}
inline bool is_off(const ovni_private_window& window) noexcept {
    return __atomic_load_n(&window.off, __ATOMIC_RELAXED) != nullptr;
}
// True if recording is off and the event needs no further look.
[[gnu::always_inline]] inline bool is_dropped(const ovni_private_window& window, EventCode code) noexcept {
    const uint64_t* off = __atomic_load_n(&window.off, __ATOMIC_RELAXED);
    return off && !has_bit(off, code);
}
inline const uint64_t* gate_of(const ovni_private_window& window) noexcept {
    return __atomic_load_n(&window.gate, __ATOMIC_ACQUIRE);
}
inline bool is_looked_at(const ovni_private_window& window, EventCode code) noexcept {
    return has_bit(gate_of(window), code);
}

template <class... Args>
[[gnu::cold, gnu::noinline]] void emit_slowly(const ovni_private_window& window, EventCode code,
                                              uint64_t clock, Args... args) noexcept {
    if (is_dropped(window, code)) return;
    if (clock == any_clock) clock = now();
    uint8_t event[OVNI_FORMAT_EVENT_MAX];
    store_event(event, code, clock, args...);
    ovni_private_emit(event, event_size(args...));
}

template <class... Args>
[[gnu::cold, gnu::noinline]] void emit_passed_slowly(EventCode code, uint64_t clock, Args... args) noexcept {
    uint8_t event[OVNI_FORMAT_EVENT_MAX];
    store_event(event, code, clock, args...);
    ovni_private_emit_passed(event, event_size(args...));
}

// The compiler moves no access across it: enough between a thread and its own signal handlers.
inline void handler_fence() noexcept {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

// Events that always take the slow path: the life cycle, and regions of unsorted events.
constexpr bool is_special(EventCode code) {
    return code.model() == 'O' && (code.category() == 'H' || code.category() == 'U');
}

// Atomic, as threads that change the gate read `busy`.
inline void set_busy(ovni_private_window& window, uintptr_t frame) noexcept {
    __atomic_store_n(&window.busy, frame, __ATOMIC_RELAXED);
}

inline bool interrupts_emission(ovni_private_window& window) noexcept {
    auto frame = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    return __builtin_expect(window.busy != 0, 0) && !ovni_private_abandoned(&window, frame);
}

// Begins an emission if an event of `size` bytes with that clock can be stored at once.
inline bool begin_emission(ovni_private_window& window, EventCode code, unsigned size,
                           uint64_t clock) noexcept {
    if (interrupts_emission(window) || __builtin_expect(is_special(code), 0)) return false;
    set_busy(window, reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
    handler_fence();
    bool fits = window.head + size <= __atomic_load_n(&window.limit, __ATOMIC_RELAXED);
    if (__builtin_expect(fits && clock >= window.last, 1)) return true;
    set_busy(window, 0);
    return false;
}

inline void leave_emission(ovni_private_window& window) noexcept {
    handler_fence();
    set_busy(window, 0);
}

inline void end_emission(ovni_private_window& window, unsigned size, uint64_t clock) noexcept {
    uint64_t head = window.head + size;
    __atomic_store_n(&window.head, head, __ATOMIC_RELAXED);
    window.last = clock;
    __atomic_store_n(window.published, head, __ATOMIC_RELEASE);
    handler_fence();
    set_busy(window, 0);
}

// True if the emission, which has begun, goes on; false if the library has handled the event.
inline bool pass(ovni_private_window& window, const void* event, unsigned size) noexcept {
    return ovni_private_pass(&window, event, size) != 0;
}

template <class... Args>
[[gnu::cold, gnu::noinline]] bool pass_look(ovni_private_window& window, EventCode code, uint64_t clock,
                                            Args... args) noexcept {
    if (is_dropped(window, code)) return leave_emission(window), false;
    uint8_t event[OVNI_FORMAT_EVENT_MAX];
    store_event(event, code, clock, args...);
    return pass(window, event, event_size(args...));
}

template <class... Args>
inline bool passes(ovni_private_window& window, EventCode code, uint64_t clock,
                   const Args&... args) noexcept {
    if (__builtin_expect(!is_looked_at(window, code), 1)) return true;
    return pass_look(window, code, clock, args...);
}

template <class... Args>
constexpr unsigned checked_event_size() {
    static_assert((std::is_trivially_copyable_v<Args> && ...), "arguments are stored as bytes");
    constexpr unsigned payload = (sizeof(Args) + ... + 0u);
    static_assert(payload == 0 || (payload >= 2 && payload <= OVNI_FORMAT_PAYLOAD_MAX),
                  "a payload has 0 or 2 to 16 bytes");
    return OVNI_FORMAT_EVENT_HEADER + payload;
}

}  // namespace detail

// Emits with a clock that the caller has taken by now().
template <class... Args>
inline void emit_at(EventCode code, uint64_t clock, Args... args) noexcept {
    constexpr unsigned size = detail::checked_event_size<Args...>();
    ovni_private_window* window = ovni_private_thread_window;
    if (window == nullptr) return;
    if (!detail::begin_emission(*window, code, size, clock))
        return detail::emit_slowly(*window, code, clock, args...);
    if (!detail::passes(*window, code, clock, args...)) return;
    detail::store_event(window->data + window->head, code, clock, args...);
    detail::end_emission(*window, size, clock);
}

// Emits the `size` lowest bytes of a number as the payload, with a clock that the caller has taken.
inline void emit_bits_at(EventCode code, uint64_t clock, detail::PayloadBits payload,
                         unsigned size) noexcept {
    ovni_private_window* window = ovni_private_thread_window;
    if (window == nullptr) return;
    detail::Bits bits{payload, size};
    // Needs room for the largest event, because all bytes of the number are stored.
    if (!detail::begin_emission(*window, code, OVNI_FORMAT_EVENT_MAX, clock))
        return detail::emit_slowly(*window, code, clock, bits);
    if (!detail::passes(*window, code, clock, bits)) return;
    detail::store_event(window->data + window->head, code, clock, bits);
    detail::end_emission(*window, detail::event_size(bits), clock);
}

// Emits now. The clock is read inside the emission, so no event of a signal handler comes between. The gate
// is found before the reading and asked behind it, because some processors let rdtsc wait for earlier loads.
// A stop of recording shuts the gate and then waits for this emission, which is busy before it finds the
// gate.
template <class... Args>
[[gnu::always_inline]] inline void emit(EventCode code, Args... args) noexcept {
    constexpr unsigned size = detail::checked_event_size<Args...>();
    ovni_private_window* window = ovni_private_thread_window;
    if (window == nullptr) return;
    if (!detail::begin_emission(*window, code, size, detail::any_clock))
        return detail::emit_slowly(*window, code, detail::any_clock, args...);
    if (__builtin_expect(detail::is_off(*window), 0) &&
        !detail::pass_look(*window, code, detail::any_clock, args...))
        return;
    const uint64_t* gate = detail::gate_of(*window);
    uint64_t clock = detail::read_clock_of(*window);
    detail::handler_fence();
    if (__builtin_expect(detail::has_bit(gate, code), 0) &&
        !detail::pass_look(*window, code, detail::any_clock, args...))
        return;
    if (__builtin_expect(clock < window->last, 0)) {
        detail::leave_emission(*window);
        return detail::emit_passed_slowly(code, clock, args...);
    }
    detail::store_event(window->data + window->head, code, clock, args...);
    detail::end_emission(*window, size, clock);
}

}  // namespace ovni
