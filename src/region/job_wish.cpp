#include "region/job_wish.hpp"

namespace ovni::region {

void JobWish::begin(writer::Recording state) noexcept {
    word_.store(state == writer::Recording::on ? recording : 0, std::memory_order_relaxed);
}

bool JobWish::want(writer::Recording to) noexcept {
    uint64_t bit = to == writer::Recording::on ? wished : 0;
    uint64_t word = word_.load(std::memory_order_acquire);
    uint64_t next = 0;
    bool is_so = false;
    do {
        is_so = ((word & recording) != 0) == (to == writer::Recording::on) && (word & offered) == 0;
        uint64_t kept = word & ~(wishing | wished);
        next = is_so ? kept : kept | wishing | bit;
    } while (!word_.compare_exchange_weak(word, next, std::memory_order_acq_rel));
    return !is_so;
}

uint64_t JobWish::wish() noexcept {
    uint64_t word = word_.fetch_or(offered, std::memory_order_acq_rel);
    if ((word & wishing) == 0) return 0;
    return ((word >> changes_shift) + 1) << 1 | (word & wished);
}

std::optional<writer::Recording> JobWish::agree(uint64_t wish) noexcept {
    uint64_t word = word_.load(std::memory_order_acquire);
    uint64_t next = 0;
    bool is_new = false, is_on = false;
    do {
        is_new = wish >> 1 > word >> changes_shift;
        is_on = is_new ? (wish & 1) != 0 : (word & recording) != 0;
        next = (is_new ? wish >> 1 : word >> changes_shift) << changes_shift | (is_on ? recording : 0);
        if (((word & wished) != 0) != is_on) next |= word & (wishing | wished);
    } while (!word_.compare_exchange_weak(word, next, std::memory_order_acq_rel));
    if (!is_new) return {};
    return is_on ? writer::Recording::on : writer::Recording::off;
}

}  // namespace ovni::region
