#include "mpi/interpose/streams/counted.hpp"

#include "mpi/interpose/streams/selection.hpp"
#include "ovni/private.h"

namespace ovni::mpi {

namespace {

// Null if there is no counter library.
const ovni_private_border_follower* follower = nullptr;

}  // namespace

void count_at_borders() noexcept {
    follower = ovni_private_borders();
    if (!follower) return;
    for (size_t i = 1; i < std::size(function_rows); ++i)
        if (auto function = static_cast<Function>(i); is_selected(function)) select(function, counted);
}

void read_counters() noexcept {
    if (follower) follower->read();
}

void emit_counters(uint64_t at) noexcept {
    if (follower) follower->emit(at);
}

void count_enter(const Moment& moment) noexcept {
    if (!moment.recorded) return;
    read_counters();
    emit_counters(moment.at);
}

}  // namespace ovni::mpi
