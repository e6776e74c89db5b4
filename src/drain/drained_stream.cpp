#include "drain/drained_stream.hpp"

#include <algorithm>
#include <utility>

#include "ovni/format.h"
#include "ring/diagnostics.hpp"
#include "ring/session.hpp"
#include "ring/stream_names.hpp"

namespace ovni::writer {

// The owner has opened the ring again, for another stream.
void DrainedStream::start_over() {
    is_prepared_ = is_stuck_ = false;
    seen_ = 0;
    ring_.set_damaged(false);
    disk_.start_over();
    delay_.start_over();
    files_.start_over();
    gaps_.forget();
    metadata_.start_over();
    place_.start_over();
}

bool DrainedStream::prepare() {
    if (is_prepared_) return true;
    if (!place_.find()) return false;
    metadata_.find_earlier();
    place_.stay_in_trace();
    if (place_.is_lost()) {
        complain(Trouble::open, "drain", "%s was removed, or cut off, after events had been written to it",
                 place_.path_of(events_file).c_str());
        return keep();
    }
    place_.make_directories();
    is_prepared_ = true;
    if (!has_begun()) return begin();
    take_up();
    return true;
}

bool DrainedStream::begin() {
    bool is_open = files_.open();
    bool goes_on = header().continues.load(std::memory_order_relaxed);
    if (goes_on)
        gaps_.load();
    else
        place_.remove_old({gaps_file, checksum_file});
    // Both are needed for all that follows.
    if (!is_open && !owner_lives(header())) return keep();
    RingProgress begin = ring_.progress();
    begin.form = header().form;
    begin.stream_end = begin.file_end = OVNI_FORMAT_STREAM_HEADER;
    // The end of the stream has to be known before anything is added.
    if (goes_on && !(is_open && files_.find_end(begin))) {
        if (!owner_lives(header())) return keep();
        forget();
        return false;
    }
    blocks_.commit(begin);
    gaps_.reserve();
    if (metadata_.open_life() > 0) follow(blocks_.append(make_event("OHe", metadata_.open_life())));
    // A program that made the file writes the metadata itself while the stream is open.
    bool is_theirs = header().at_once.load(std::memory_order_relaxed) && !header().aside.load();
    if (!is_theirs) metadata_.write(nullptr);
    return true;
}

// Another drainer may have written before: only the state in the ring counts.
void DrainedStream::take_up() {
    gaps_.take_up();
    ring_.announce();
    files_.open();
}

double DrainedStream::drain(Patience patience) {
    RingHeader& h = header();
    RingState state = h.state.load(std::memory_order_acquire);
    if (state != RingState::open && state != RingState::closed) return 0;
    if (ring_.was_opened_again()) start_over();
    if (ring_.look_for_damage()) {
        // Its owner waits for nothing.
        h.drained.store(h.published.load(std::memory_order_acquire), std::memory_order_release);
        return 0;
    }
    const uint64_t published = h.published.load(std::memory_order_acquire);
    const uint64_t wanted = std::min(h.wanted.load(std::memory_order_acquire), published);
    const bool is_asked = wanted > h.refused.load();
    const bool is_crowded = disk_.is_crowded(published);
    // The owner rings if the ring gets crowded.
    if (!is_asked && !is_crowded && !disk_.is_attempt_due()) return 0;
    if (is_stuck_ || is_empty(h) || !ring_.is_placed() || !prepare()) return 0;
    const uint64_t drained = ring_.progress().drained, kept = std::min(h.kept, published - drained);
    const uint64_t fresh = published - std::max(std::exchange(seen_, published), drained + kept);
    const bool is_due = patience == Patience::none || wanted > drained || is_crowded ||
                        ring_.is_reading_wanted() || delay_.is_over(published);
    if (is_due && !write(published, is_crowded)) return 0;
    return static_cast<double>(fresh) / static_cast<double>(ring().capacity() - h.kept);
}

// False if the disk cannot take the events.
bool DrainedStream::write(uint64_t published, bool is_crowded) {
    const bool is_done = follow(blocks_.write_published(published));
    if (is_stuck_) return false;
    if (!is_done) {
        if (is_crowded && prepare()) follow(blocks_.give_up_older(published));
        ring_.refuse(published);
        return false;
    }
    if (ring_.progress().drained + header().kept >= published) delay_.begin();
    if (!make_readable()) ring_.refuse(published);
    return true;
}

// Such metadata is valid until the next is written.
bool DrainedStream::make_readable() {
    if (!ring_.is_reading_wanted()) return true;
    RingHeader& h = header();
    const uint32_t wanted = h.readings.load(std::memory_order_acquire);
    const OwnerEnd now{RingEnd::running, 0, event_clock(monotonic_clock(), h.time_offset)};
    if (!gaps_.save() || !metadata_.write(&now)) return false;
    h.readings_made.store(wanted, std::memory_order_release);
    return true;
}

// False if the events stay in the ring.
bool DrainedStream::follow(Handled handled) {
    if (handled == Handled::kept) return keep();
    if (handled == Handled::wait) forget();
    return handled == Handled::done;
}

bool DrainedStream::keep() {
    forget();
    is_stuck_ = true;
    return false;
}

// The next attempt begins with the state in the ring.
void DrainedStream::forget() {
    is_prepared_ = false;
    ring_.set_damaged(false);
    gaps_.forget();
    rest();
}

}  // namespace ovni::writer
