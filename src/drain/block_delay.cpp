#include "drain/block_delay.hpp"

#include <algorithm>

#include "packed/block.hpp"
#include "ring/session.hpp"

namespace ovni::writer {

bool BlockDelay::is_over(uint64_t published) {
    const RingProgress& now = ring_.progress();
    if (now.form == StreamForm::plain) return true;
    if (begun_ == 0) begin();
    constexpr uint64_t quarter = 2;
    if (ring_.is_filled_beside(quarter) || ring_.has_lost_of_handlers()) return true;
    const RingHeader& h = ring_.header();
    constexpr uint64_t largest_part_of_ring = 4;
    const uint64_t waiting = published - now.drained;
    return waiting - std::min(waiting, h.kept) >=
               std::min<uint64_t>(packed::usual_block,
                                  (ring_.ring().capacity() - h.kept) / largest_part_of_ring) ||
           monotonic_clock() - begun_ >= h.flush_age;
}

void BlockDelay::begin() {
    begun_ = monotonic_clock();
}

}  // namespace ovni::writer
