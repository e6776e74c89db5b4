// How streams end: the rest of their owners' events, and the files.
#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "drain/drained_stream.hpp"

namespace ovni::writer {
namespace {

// The owner's report of its end. A program may write anything there, by mistake.
RingEnd recorded_end(const RingHeader& ring) {
    const RingEnd recorded = ring.end.load(std::memory_order_acquire);
    return recorded <= RingEnd::running ? recorded : RingEnd::recovered;
}

// Transient: descriptors are short for a moment.
bool lacks_descriptors() {
    return errno == EMFILE || errno == ENFILE;
}

}  // namespace

// False if there was no room for it.
bool DrainedStream::end_our_life(const OwnerEnd& end) {
    uint64_t clock = header().end_clock.load(std::memory_order_acquire);
    bool ours = header().life_is_ours.load(std::memory_order_acquire);
    bool theirs = header().lives.load(std::memory_order_acquire) && end.how == RingEnd::exec;
    if (!theirs && !(ours && (clock != 0 || end.how == RingEnd::exec))) return true;
    follow(blocks_.append(make_event("OHe", std::max(clock, ring_.last_clock()))));
    if (is_stuck_) return false;
    header().life_is_ours.store(0, std::memory_order_relaxed);
    header().lives.store(0, std::memory_order_relaxed);
    return true;
}

bool DrainedStream::finish(const OwnerEnd& known) {
    RingHeader& h = header();
    RingState state = h.state.load(std::memory_order_acquire);
    if (state != RingState::open && state != RingState::closed) return true;
    // The owner's report of its end counts if no process saw the end.
    OwnerEnd end = known;
    RingEnd recorded = recorded_end(h);
    if (end.how == RingEnd::recovered && recorded != RingEnd::in_order)
        end = {recorded, h.end_code.load(), end.at};
    if (ring_.was_opened_again()) start_over();
    is_stuck_ = false;
    if (!is_empty(h) && !end_stream(end, state == RingState::closed)) {
        is_stuck_ = true;
        return false;
    }
    is_prepared_ = false;
    ring_.finish();
    return true;
}

bool DrainedStream::end_stream(const OwnerEnd& end, bool is_closed) {
    if (header().in_trace.load(std::memory_order_acquire)) return place_.move_to_trace();
    bool may_be_lost = owner_lives(header());
    if (!prepare()) return may_be_lost && !lacks_descriptors();
    place_.read_last_note();
    if (!write_rest(end)) return false;
    const ExitInOrder exit = header().exit_in_order.load();
    const bool in_order =
        is_closed || exit == ExitInOrder::before || (end.how == RingEnd::exit && exit != ExitInOrder::no);
    const OwnerEnd* abrupt_end = in_order ? nullptr : &end;
    if (!end_files(abrupt_end) && (!may_be_lost || lacks_descriptors())) return keep();
    gaps_.give_up_reserve();
    rest();
    metadata_.hand_on(abrupt_end);
    place_.remove_stray();
    if (place_.is_in_trace() || end.how == RingEnd::exec) return true;
    return place_.move_to_trace() || may_be_lost;
}

// False if the ring keeps some of it.
bool DrainedStream::write_rest(const OwnerEnd& end) {
    if (ring_.look_for_damage()) return true;
    uint64_t published = header().published.load(std::memory_order_acquire);
    return follow(blocks_.write_last(published)) && end_our_life(end);
}

// `end`: of a stream that its owner has not closed. False if the disk refuses.
bool DrainedStream::end_files(const OwnerEnd* end) {
    const uint64_t end_of_events = ring_.progress().stream_end;
    gaps_.list().clamp(end_of_events);
    if (ring_.is_damaged()) gaps_.list().add({end_of_events, ring_.last_clock(), UINT64_MAX, 0, "damaged"});
    const bool are_gaps_saved = gaps_.save();
    return metadata_.write(end) && are_gaps_saved;
}

}  // namespace ovni::writer
