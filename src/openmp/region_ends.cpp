#include "openmp/region_ends.hpp"

#include <atomic>

namespace ovni::openmp {

namespace {

// The number identifies the region of the clock. It is 0 while the clock changes.
struct EndRow {
    std::atomic<uint32_t> region;
    std::atomic<uint64_t> clock;
};

constexpr uint32_t kept = 256;
constinit EndRow end_rows[kept];

}  // namespace

void note_end_of_region(uint32_t region, uint64_t clock) noexcept {
    EndRow& row = end_rows[region % kept];
    row.region.store(0, std::memory_order_seq_cst);
    row.clock.store(clock, std::memory_order_seq_cst);
    row.region.store(region, std::memory_order_release);
}

uint64_t end_of_region(uint32_t region) noexcept {
    const EndRow& row = end_rows[region % kept];
    if (row.region.load(std::memory_order_acquire) != region) return 0;
    const uint64_t clock = row.clock.load(std::memory_order_acquire);
    return row.region.load(std::memory_order_acquire) == region ? clock : 0;
}

}  // namespace ovni::openmp
