#include "region/job_wish.hpp"

namespace ovni::region {

void JobWish::begin(Recording state) noexcept {
    word_.store(state == Recording::on ? recording : 0, std::memory_order_relaxed);
}

bool JobWish::want(Recording to) noexcept {
    uint64_t bit = to == Recording::on ? wished : 0;
    uint64_t word = word_.load(std::memory_order_acquire);
    uint64_t next = 0;
    bool is_so = false;
    do {
        is_so = ((word & recording) != 0) == (to == Recording::on);
        uint64_t kept = word & ~(wishing | wished);
        next = is_so ? kept : kept | wishing | bit;
    } while (!word_.compare_exchange_weak(word, next, std::memory_order_acq_rel));
    return !is_so;
}

uint64_t JobWish::wish() const noexcept {
    uint64_t word = word_.load(std::memory_order_acquire);
    if ((word & wishing) == 0) return 0;
    return ((word >> changes_shift) + 1) << 1 | (word & wished);
}

std::optional<Recording> JobWish::agree(uint64_t wish) noexcept {
    uint64_t changes = wish >> 1;
    bool is_on = (wish & 1) != 0;
    uint64_t word = word_.load(std::memory_order_acquire);
    uint64_t next = 0;
    do {
        if (changes <= word >> changes_shift) return {};
        bool is_fulfilled = (word & wishing) == 0 || ((word & wished) != 0) == is_on;
        next = changes << changes_shift | (is_on ? recording : 0);
        if (!is_fulfilled) next |= word & (wishing | wished);
    } while (!word_.compare_exchange_weak(word, next, std::memory_order_acq_rel));
    return is_on ? Recording::on : Recording::off;
}

}  // namespace ovni::region
