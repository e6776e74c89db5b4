// The clock of events: nanoseconds of CLOCK_MONOTONIC at the cost of rdtsc. A ClockPage in shared memory
// defines how ticks of the time stamp counter (TSC) become ns: a chain of linear segments, of which the last
// 64 are kept. One writer at a time (core/clock_discipline.hpp) appends to it so that the clock follows
// CLOCK_MONOTONIC; many processes read. Readers map the page writable, because they may withdraw an end.
//
// ns is one non-decreasing function of the TSC, equal for all readers, independent of the part of the chain
// that they have seen. Segment k ends where k + 1 begins, and its value there is at most the first ns of k +
// 1. An end is announced before it is reached. The writer
//   (1) fills the next slot,
//   (2) *announces* the end of the current segment, some 20 us ahead,
//   (3) checks that the TSC is still below that end, and takes the end back if not,
//   (4) *confirms* the end and moves the index.
// If the writer stops between (2) and (4), a reader beyond the announced end withdraws it by one compare and
// swap, and the writer's confirmation then fails: no reader ever waits. Segment 0 is the system's own clock,
// clock_gettime, until the TSC is calibrated, and permanently if the TSC cannot be used. Segment 1 starts no
// lower than CLOCK_MONOTONIC at that moment.
//
// A reader loads a segment before it reads the TSC, and checks after the reading that the segment is valid:
// the newest of the page, or one kept from an earlier reading (emit.hpp). Few instructions wait for the
// reading, and few loads come one after the other before it: some processors let rdtsc wait for earlier work,
// and later work for rdtsc.
//
// A reading is as ordered as rdtsc: never back within a thread, but a processor may execute it ahead of an
// earlier load. read_clock_in_order() waits for earlier loads, and costs as much as clock_gettime. If nobody
// steps the writer, readers go on with the last slope (core/clock_discipline.hpp has the cost).
//
// Measured by tests/bench/clock.cpp on a virtual machine (AMD) with an invariant TSC of 2.6 GHz: rdtsc 9.48
// ns, read_clock 9.48, in order 20.6, clock_gettime 23.0; rdtsc and a store of 12 bytes 9.48, read_clock and
// the store 9.48. scripts/bench writer on an Intel Xeon: rdtsc 7.5, rdtsc and a store 7.9, an emission 9.6
// to 10.5 with a segment that is kept and 12.0 with the newest of the page, clock_gettime 16.4.
#pragma once

#include <stdint.h>
#include <time.h>

namespace ovni {

// A clock that is wrong in a known way: now = t + offset + (t - anchor) * rate / 10^9.
struct ClockCorrection {
    int64_t offset_ns = 0;
    int64_t rate_ppb = 0;
    int64_t anchor_ns = 0;

    constexpr int64_t apply(int64_t t) const {
        __extension__ using Wide = __int128;
        return t + offset_ns +
               static_cast<int64_t>(static_cast<Wide>(t - anchor_ns) * rate_ppb / 1'000'000'000);
    }
    constexpr bool is_set() const { return offset_ns != 0 || rate_ppb != 0; }
};

// ns = ns_start + (tsc - tsc_start) * multiplier / 2^60.
struct alignas(32) ClockSegment {
    uint64_t tsc_start;  // `by_system` if ns is clock_gettime, but at least ns_start
    uint64_t length;     // in ticks: `open`; even if an end is announced; odd (one more) if it is confirmed
    uint64_t ns_start;
    uint64_t multiplier;

    static constexpr uint64_t by_system = uint64_t{1} << 63;
    static constexpr uint64_t open = uint64_t{1} << 62;
};

enum class ClockState : uint32_t { uncalibrated, tsc, not_usable };

// A new page has clock_gettime as its clock. A process without a shared page may use a private one.
struct ClockPage {
    static constexpr uint64_t magic_number = 0x6b636c63696e766f;  // "ovniclck"
    static constexpr uint32_t this_version = 1;
    static constexpr uint64_t ring = 64;

    uint64_t magic = magic_number;
    uint32_t version = this_version;
    uint32_t state = 0;  // ClockState, only for reports
    ClockCorrection hook;

    // Used only by the writer.
    alignas(64) uint64_t rate = 0;  // without steering, as a multiplier
    uint64_t rate_baseline_ns = 0;  // the time that `rate` was measured over
    uint64_t published = 0;         // segments
    uint64_t late = 0;              // attempts to publish that were withdrawn
    uint64_t steps = 0;             // number of jumps between the TSC and CLOCK_MONOTONIC

    alignas(64) uint64_t index = 0;  // of the current segment, in the chain
    alignas(64) ClockSegment segments[ring] = {{ClockSegment::by_system, ClockSegment::open, 0, 0}};
};
static_assert(sizeof(ClockPage) == 2240, "layout of the clock page");

// The clocks of this machine. Tests replace them.
struct HostClocks {
    static uint64_t ticks() noexcept {
#if defined(__x86_64__)
        return __builtin_ia32_rdtsc();
#else
        return 0;
#endif
    }
    // The TSC, read after all earlier loads.
    static uint64_t ticks_in_order() noexcept {
#if defined(__x86_64__)
        __builtin_ia32_lfence();
#endif
        return ticks();
    }
    static int64_t monotonic_ns() noexcept {
        timespec now{};
        ::clock_gettime(CLOCK_MONOTONIC, &now);
        return now.tv_sec * INT64_C(1'000'000'000) + now.tv_nsec;
    }
};

namespace detail {

inline uint64_t scaled(uint64_t ticks, uint64_t multiplier) noexcept {
    __extension__ using Wide = unsigned __int128;
    return static_cast<uint64_t>(static_cast<Wide>(ticks << 4) * multiplier >> 64);
}

// The probable segment of a reading: loaded from the page before it, or kept from an earlier reading.
struct SegmentGuess {
    static constexpr uint64_t none = UINT64_MAX;  // an index

    const ClockSegment* slot;
    uint64_t index, tsc_start, ns_start, multiplier;

    uint64_t at(uint64_t t) const noexcept { return ns_start + scaled(t - tsc_start, multiplier); }
};

inline SegmentGuess guess_segment(const ClockPage& page) noexcept {
    uint64_t index = __atomic_load_n(&page.index, __ATOMIC_ACQUIRE);
    const ClockSegment* slot = &page.segments[index % ClockPage::ring];
    __asm__("" : "+r"(slot));  // else GCC adds up the address after the reading
    return {slot, index, __atomic_load_n(&slot->tsc_start, __ATOMIC_ACQUIRE),
            __atomic_load_n(&slot->ns_start, __ATOMIC_ACQUIRE),
            __atomic_load_n(&slot->multiplier, __ATOMIC_ACQUIRE)};
}

// Stores a guess that handlers of this thread may load: they find none while it is replaced.
inline void keep_guess(SegmentGuess& kept, const SegmentGuess& guess) noexcept {
    kept.index = SegmentGuess::none;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    kept.slot = guess.slot;
    kept.tsc_start = guess.tsc_start;
    kept.ns_start = guess.ns_start;
    kept.multiplier = guess.multiplier;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    kept.index = guess.index;
}
inline SegmentGuess load_guess(const SegmentGuess& kept) noexcept {
    uint64_t index = __atomic_load_n(&kept.index, __ATOMIC_ACQUIRE);
    return {__atomic_load_n(&kept.slot, __ATOMIC_ACQUIRE), index,
            __atomic_load_n(&kept.tsc_start, __ATOMIC_ACQUIRE),
            __atomic_load_n(&kept.ns_start, __ATOMIC_ACQUIRE),
            __atomic_load_n(&kept.multiplier, __ATOMIC_ACQUIRE)};
}

// True if the guess is of one segment, and this holds at `t`, which was read after the guess. The end may
// have been announced in between, so the length is loaded once more: its address depends on t, as rdtsc does
// not hold back later loads (the term adds nothing: a TSC has no bit 63). The writer refills a slot only
// after it has moved the index: if the index, loaded last, is the first one, no part of the guess is of
// another segment.
inline bool holds_at(const ClockPage& page, const SegmentGuess& guess, uint64_t t) noexcept {
    auto address = reinterpret_cast<uintptr_t>(&guess.slot->length) + (t >> 63) * sizeof(uint64_t);
    uint64_t length = __atomic_load_n(reinterpret_cast<const uint64_t*>(address), __ATOMIC_ACQUIRE);
    return t - guess.tsc_start < length && __atomic_load_n(&page.index, __ATOMIC_RELAXED) == guess.index;
}

// The segment of that index, as seen after `t` was taken, like the length above. The start is loaded last,
// and a slot is refilled start first, with one in the future: a reader of any part of the new segment also
// sees that it starts above t.
inline ClockSegment load_segment(const ClockPage& page, uint64_t index, uint64_t t) noexcept {
    const ClockSegment& from = page.segments[(index + (t >> 63)) % ClockPage::ring];
    ClockSegment to;
    to.length = __atomic_load_n(&from.length, __ATOMIC_ACQUIRE);
    to.ns_start = __atomic_load_n(&from.ns_start, __ATOMIC_ACQUIRE);
    to.multiplier = __atomic_load_n(&from.multiplier, __ATOMIC_ACQUIRE);
    to.tsc_start = __atomic_load_n(&from.tsc_start, __ATOMIC_RELAXED);
    return to;
}

template <class Clocks>
uint64_t system_clock(const ClockPage& page, const Clocks& clocks) noexcept {
    int64_t now = clocks.monotonic_ns();
    return static_cast<uint64_t>(page.hook.is_set() ? page.hook.apply(now) : now);
}

// Looks for the segment of t from the newest on, forwards and backwards. If t is older than all of them,
// because the reader slept while the ring was refilled, a new t replaces it.
template <class Clocks>
[[gnu::cold, gnu::noinline]] uint64_t read_clock_slowly(ClockPage& page, uint64_t t,
                                                        const Clocks& clocks) noexcept {
    uint64_t latest = __atomic_load_n(&page.index, __ATOMIC_ACQUIRE);
    uint64_t index = latest;
    // More rounds than any chain needs; after them the page is damaged, or the TSC was set back.
    for (uint64_t round = 0; round < 4 * ClockPage::ring; ++round) {
        ClockSegment segment = load_segment(page, index, t);
        bool by_system = segment.tsc_start == ClockSegment::by_system;
        uint64_t start = by_system ? 0 : segment.tsc_start;
        uint64_t ns = 0;
        if (by_system) {
            // Valid if the segment has not ended after the reading.
            ns = system_clock(page, clocks);
            if (ns < segment.ns_start) ns = segment.ns_start;
            t = clocks.ticks_in_order();
            segment = load_segment(page, index, t);
            if (segment.tsc_start != ClockSegment::by_system) continue;
        }
        if (t < start) {
            bool has_previous = index > 0 && latest - index < ClockPage::ring - 2;
            if (!has_previous) {
                t = clocks.ticks();
                latest = __atomic_load_n(&page.index, __ATOMIC_ACQUIRE);
            }
            index = has_previous ? index - 1 : latest;
        } else if (t - start < (segment.length | 1)) {
            return by_system ? ns : segment.ns_start + scaled(t - start, segment.multiplier);
        } else if (segment.length % 2 == 1) {
            ++index;
        } else {
            __atomic_compare_exchange_n(&page.segments[index % ClockPage::ring].length, &segment.length,
                                        ClockSegment::open, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
        }
    }
    return system_clock(page, clocks);
}

}  // namespace detail

template <class Clocks = HostClocks>
inline uint64_t read_clock(ClockPage& page, const Clocks& clocks = {}) noexcept {
    detail::SegmentGuess guess = detail::guess_segment(page);
    uint64_t t = clocks.ticks();
    if (__builtin_expect(detail::holds_at(page, guess, t), 1)) return guess.at(t);
    return detail::read_clock_slowly(page, t, clocks);
}

// Reads the clock after all earlier loads of the program, for example the load of another thread's clock
// value.
inline uint64_t read_clock_in_order(ClockPage& page) noexcept {
#if defined(__x86_64__)
    __builtin_ia32_lfence();
#endif
    return read_clock(page);
}

}  // namespace ovni
