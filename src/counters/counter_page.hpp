// A counter of the processor, read from the page that the kernel shares with the program, without a system
// call. The kernel raises `lock` before and after it changes the page (linux/perf_event.h has the protocol).
#pragma once

#include <linux/perf_event.h>

#include <cstdint>

namespace ovni::counters {

// Reads the counter of the processor with that index.
inline uint64_t read_pmc(uint32_t index) noexcept {
#if defined __x86_64__
    uint32_t low = 0, high = 0;
    asm volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
    return low | static_cast<uint64_t>(high) << 32;
#else
    return index;  // can_read_pmc is false
#endif
}
#if defined __x86_64__
inline constexpr bool can_read_pmc = true;
#else
inline constexpr bool can_read_pmc = false;
#endif

// Adds a signed counter of `width` bits to the count before it was last set.
constexpr uint64_t counter_value(int64_t offset, uint64_t pmc, unsigned width) noexcept {
    const unsigned unused = 64 - width;
    return static_cast<uint64_t>(offset) +
           static_cast<uint64_t>(static_cast<int64_t>(pmc << unused) >> unused);
}

// False if the program may not read the counter, if the counter is not on a processor now, or if the kernel
// changes the page repeatedly: then a system call is needed.
template <class ReadPmc>
bool read_page(const perf_event_mmap_page& page, ReadPmc read, uint64_t& value) noexcept {
    constexpr int most_attempts = 16;
    for (int attempt = 0; attempt < most_attempts; ++attempt) {
        const uint32_t lock = __atomic_load_n(&page.lock, __ATOMIC_ACQUIRE);
        const uint32_t index = __atomic_load_n(&page.index, __ATOMIC_RELAXED);
        const unsigned width = __atomic_load_n(&page.pmc_width, __ATOMIC_RELAXED);
        if (!page.cap_user_rdpmc || index == 0 || width == 0 || width > 64) return false;
        const int64_t offset = __atomic_load_n(&page.offset, __ATOMIC_RELAXED);
        value = counter_value(offset, read(index - 1), width);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (__atomic_load_n(&page.lock, __ATOMIC_RELAXED) == lock) return true;
    }
    return false;
}

}  // namespace ovni::counters
