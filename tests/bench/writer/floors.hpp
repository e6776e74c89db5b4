// Probes to compare with: reading a clock, and reading one and storing an event in a ring that wraps, which
// is the least that a writer with a time stamp of its own can do.
#pragma once

#include <cstdint>
#include <cstring>

#include "tests/bench/writer/clocks.hpp"

namespace ovni::bench {

struct NoProbe {
    void begin() {}
    void end() {}
    void operator()(uint64_t) {}
};

inline void keep(uint64_t value) {
    asm volatile("" : : "r"(value));
}

struct ReadTsc : NoProbe {
    void operator()(uint64_t) { keep(ticks()); }
};

struct ReadTscp : NoProbe {
    void operator()(uint64_t) {
        unsigned cpu;
        keep(__rdtscp(&cpu));
    }
};

struct ReadMonotonic : NoProbe {
    void operator()(uint64_t) {
        timespec t{};
        ::clock_gettime(CLOCK_MONOTONIC, &t);
        keep(static_cast<uint64_t>(t.tv_nsec));
    }
};

// An event of that many bytes as it is in a stream, in a ring as large as a writer's.
template <unsigned Bytes>
class Store {
 public:
    void begin() {
        ring_ = new uint8_t[ring_bytes + Bytes];
        std::memset(ring_, 1, ring_bytes + Bytes);
    }
    void end() {
        asm volatile("" : : "r"(ring_) : "memory");
        delete[] ring_;
    }
    void operator()(uint64_t number) {
        uint8_t* at = ring_ + head_;
        uint32_t flags_and_code = 0x2e424f00;
        uint64_t clock = ticks();
        std::memcpy(at, &flags_and_code, sizeof flags_and_code);
        std::memcpy(at + 4, &clock, sizeof clock);
        for (unsigned i = 12; i < Bytes; i += sizeof number) std::memcpy(at + i, &number, sizeof number);
        head_ = head_ + Bytes < ring_bytes ? head_ + Bytes : 0;
    }

 private:
    static constexpr uint64_t ring_bytes = 2 << 20;

    uint8_t* ring_ = nullptr;  // plain, because the loops copy their probe
    uint64_t head_ = 0;
};

}  // namespace ovni::bench
