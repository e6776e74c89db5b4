// Writes a ClockPage: appends segments to its chain by the protocol of ovni/tsc_clock.hpp. One publisher at a
// time. If it dies within a step, the next publisher completes or undoes that step.
#pragma once

#include <algorithm>

#include "ovni/tsc_clock.hpp"

namespace ovni {

// Call before the page is read.
inline void format_clock_page(ClockPage& page, const ClockCorrection& hook) noexcept {
    page = ClockPage{};
    page.hook = hook;
}

inline bool is_clock_page(const ClockPage& page) noexcept {
    return page.magic == ClockPage::magic_number && page.version == ClockPage::this_version;
}

template <class Clocks>
class ClockPublisher {
 public:
    ClockPublisher(ClockPage& page, const Clocks& clocks) noexcept : page_(&page), clocks_(clocks) {
        finish_predecessor();
    }

    bool is_linear() const noexcept { return current_.tsc_start != ClockSegment::by_system; }
    uint64_t start() const noexcept { return is_linear() ? current_.tsc_start : 0; }
    const ClockSegment& current() const noexcept { return current_; }

    // The clock at `tsc`, which is not before the start of the current segment.
    uint64_t at(uint64_t tsc) const noexcept {
        return current_.ns_start + detail::scaled(tsc - current_.tsc_start, current_.multiplier);
    }

    // The start for a segment that is published now: `margin` ticks ahead.
    uint64_t next_start(uint64_t margin) const noexcept {
        uint64_t tsc = std::max(clocks_.ticks_in_order(), start()) + margin;
        return tsc + ((tsc - start()) % 2 == 0 ? 1 : 0);
    }

    // If the call is too late, returns false and changes nothing. `tsc_start`: from next_start(). `ns_start`:
    // at least the clock at that time.
    bool append(uint64_t tsc_start, uint64_t ns_start, uint64_t multiplier) noexcept {
        fill(tsc_start, ns_start, multiplier);
        uint64_t* length = &slot(index_).length;
        uint64_t confirmed = tsc_start - start();
        uint64_t announced = confirmed - 1;
        uint64_t expected = ClockSegment::open;
        bool done = __atomic_compare_exchange_n(length, &expected, announced, false, __ATOMIC_SEQ_CST,
                                                __ATOMIC_RELAXED);
        if (done) {
            expected = announced;
            bool in_time = clocks_.ticks_in_order() + skew < tsc_start;
            done = __atomic_compare_exchange_n(length, &expected, in_time ? confirmed : ClockSegment::open,
                                               false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED) &&
                   in_time;
        }
        if (done) advance();
        return done;
    }

    // Makes clock_gettime the clock at once and permanently, if the TSC proved unreliable.
    void retire(uint64_t ns_least) noexcept {
        fill(ClockSegment::by_system, ns_least, 0);
        __atomic_store_n(&slot(index_).length, uint64_t{1}, __ATOMIC_RELEASE);
        advance();
    }

 private:
    // The greatest difference, in ticks, between the counters of two processors.
    static constexpr uint64_t skew = 1024;

    ClockSegment& slot(uint64_t index) const noexcept { return page_->segments[index % ClockPage::ring]; }

    void fill(uint64_t tsc_start, uint64_t ns_start, uint64_t multiplier) noexcept {
        ClockSegment& next = slot(index_ + 1);
        __atomic_store_n(&next.tsc_start, tsc_start, __ATOMIC_RELEASE);
        __atomic_store_n(&next.length, ClockSegment::open, __ATOMIC_RELEASE);
        __atomic_store_n(&next.ns_start, ns_start, __ATOMIC_RELEASE);
        __atomic_store_n(&next.multiplier, multiplier, __ATOMIC_RELEASE);
    }

    void advance() noexcept {
        ++index_;
        current_ = detail::load_segment(*page_, index_, 0);
        __atomic_store_n(&page_->index, index_, __ATOMIC_RELEASE);
        __atomic_store_n(&page_->published, page_->published + 1, __ATOMIC_RELAXED);
    }

    void finish_predecessor() noexcept {
        index_ = __atomic_load_n(&page_->index, __ATOMIC_ACQUIRE);
        uint64_t length = __atomic_load_n(&slot(index_).length, __ATOMIC_ACQUIRE);
        if (length % 2 == 0 && length != ClockSegment::open)
            __atomic_compare_exchange_n(&slot(index_).length, &length, ClockSegment::open, false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE);
        current_ = detail::load_segment(*page_, index_, 0);
        if (length % 2 == 1) advance();
    }

    ClockSegment current_{};
    ClockPage* page_;
    uint64_t index_ = 0;
    [[no_unique_address]] Clocks clocks_;
};

}  // namespace ovni
