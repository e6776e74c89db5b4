#include "code/cache/crossings.hpp"

#include <algorithm>

namespace ovni::code {

namespace {

constexpr uint64_t state_mark = 1, in_our_code = 2, for_tracer = 4;
constexpr int above_flags = 8;

}  // namespace

void Crossings::begin(Owner there) noexcept {
    is_in_our_code_ = is_for_tracer_ = there == Owner::tracer;
    depth_ = 0;
}

void Crossings::begin_handler() noexcept {
    is_in_our_code_ = is_for_tracer_ = false;
}

bool Crossings::go(const Way& way, const CalledFunctions& functions) noexcept {
    if ((way.owner == Owner::tracer) == is_in_our_code_) return false;
    is_in_our_code_ = !is_in_our_code_;
    if (is_in_our_code_)
        enter(way);
    else
        leave(way, functions);
    return true;
}

void Crossings::enter(const Way& way) noexcept {
    const bool is_back = end(false, way.stack - sizeof way.stack) != nullptr;
    if (!is_back) add({way.stack, way.address, true, is_for_tracer_});
    is_for_tracer_ = true;
}

// Calls that were left by an exception or a jump stay known for a while, and do no harm: a return that is not
// known leads to the program.
void Crossings::leave(const Way& way, const CalledFunctions& functions) noexcept {
    if (way.is_return) {
        const Call* call = end(true, way.stack - sizeof way.stack);
        is_for_tracer_ = call != nullptr && call->was_for_tracer;
        return;
    }
    // The loader goes on to a function that is not known yet, with the two words taken that the call put
    // there.
    const bool is_unknown = functions.is_binder(way.address);
    const uint64_t stack = way.stack + (is_unknown ? 2 * sizeof way.stack : 0);
    const Call* ours = depth_ > 0 && calls_[depth_ - 1].is_ours ? &calls_[depth_ - 1] : nullptr;
    if (ours != nullptr && ours->stack == stack) {
        // It returns to our caller.
        is_for_tracer_ = ours->was_for_tracer;
        --depth_;
        return;
    }
    is_for_tracer_ = !is_unknown && functions.is_helper(way.address) &&
                     (ours == nullptr || !functions.is_behind(ours->function, way.address));
    add({stack, way.address, false, true});
}

void Crossings::add(const Call& call) noexcept {
    if (depth_ == most) {
        depth_ = most / 2;
        std::copy_n(calls_.begin() + most / 2, most / 2, calls_.begin());
    }
    calls_[depth_++] = call;
}

const Crossings::Call* Crossings::end(bool is_ours, uint64_t stack) noexcept {
    for (uint32_t i = depth_; i-- > 0;) {
        if (calls_[i].is_ours != is_ours || calls_[i].stack != stack) continue;
        depth_ = i;
        return &calls_[i];
    }
    return nullptr;
}

uint64_t Crossings::state() const noexcept {
    return state_mark | (is_in_our_code_ ? in_our_code : 0) | (is_for_tracer_ ? for_tracer : 0) |
           uint64_t{depth_} << above_flags;
}

void Crossings::set_state(uint64_t state) noexcept {
    is_in_our_code_ = (state & in_our_code) != 0;
    is_for_tracer_ = (state & for_tracer) != 0;
    depth_ = std::min(static_cast<uint32_t>(state >> above_flags), static_cast<uint32_t>(most));
}

}  // namespace ovni::code
