#include "drain/block_writer.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "drain/flight.hpp"
#include "ring/diagnostics.hpp"

namespace ovni::writer {
namespace {

EventPieces first_of(const EventPieces& events, size_t bytes) {
    size_t first = std::min(events.first_bytes, bytes);
    return {events.first, first, events.second, bytes - first};
}

}  // namespace

Handled BlockWriter::write_published(uint64_t published) {
    may_wait_ = true;
    const Handled handled = write_open(published);
    may_wait_ = false;
    return handled;
}

Handled BlockWriter::write_open(uint64_t published) {
    const RingHeader& h = ring_.header();
    if (h.kept > 0) {
        const uint64_t wanted = std::min(h.wanted.load(std::memory_order_acquire), published);
        if (wanted > ring_.progress().drained)
            if (Handled handled = write_newest(wanted, false); handled != Handled::done) return handled;
        return give_up_until(kept_from(h, ring_.progress(), published));
    }
    const RingProgress& now = ring_.progress();
    const bool has_notes = h.notes_added.load(std::memory_order_acquire) != now.notes_taken;
    return published == now.drained && !has_notes ? Handled::done : write_until(published, false);
}

Handled BlockWriter::give_up_older(uint64_t published) {
    const uint64_t end = disk_.end_of_older(published);
    return ring_.header().kept > 0 ? give_up_until(end) : write_until(end, false);
}

Handled BlockWriter::write_newest(uint64_t end, bool all) {
    if (ring_.header().kept > 0) {
        Handled handled = give_up_until(kept_from(ring_.header(), ring_.progress(), end));
        if (handled != Handled::done) return handled;
    }
    return write_until(end, all);
}

Handled BlockWriter::write_until(uint64_t end, bool all) {
    const RingProgress before = ring_.progress();
    uint64_t sound = end_of_sound_events(ring_.ring(), before.drained, end);
    if (sound < end) ring_.report_damage();
    RingBlock next = next_block(ring_.ring(), before, sound, all);
    for (Gap& gap : gaps_of(before.skipped, before.file_end)) gaps_.list().add(std::move(gap));
    next.after.skipped = {};
    size_t done = write(next.bytes, before.file_end);
    if (may_wait_ && !is_limited_ && done < next.bytes.bytes()) done = shorten(next, before, done);
    next.after.file_end = before.file_end + done;
    for (const RingNote& note : take_notes(ring_.ring(), before, all, next.after)) {
        bool is_behind = note.position == next.after.drained;
        uint64_t distance = is_behind ? done : next.distance_to(note.position);
        gaps_.list().add({before.file_end + distance, note.from, note.to, note.lost,
                          std::string(note.reason, strnlen(note.reason, sizeof note.reason))});
    }
    return settle(next.bytes, done, next.after);
}

Handled BlockWriter::give_up_until(uint64_t target) {
    const RingProgress before = ring_.progress();
    if (target <= before.drained) return Handled::done;
    uint64_t end = end_of_event(ring_.ring(), before.drained, target);
    if (end < target) ring_.set_damaged(true);
    RingBlock next = next_block(ring_.ring(), before, end, false);
    Thinned thinned = thin_out(next.bytes, before.file_end, before.skipped);
    for (Gap& gap : thinned.gaps) gaps_.list().add(std::move(gap));
    next.after.skipped = thinned.skipped;
    for (const RingNote& note : take_notes(ring_.ring(), before, false, next.after))
        skip(next.after.skipped, note);
    EventPieces needed{thinned.needed.data(), thinned.needed.size(), nullptr, 0};
    size_t done = write(needed, before.file_end);
    next.after.file_end = before.file_end + done;
    return settle(needed, done, next.after);
}

Handled BlockWriter::append(const Event& event) {
    RingProgress after = ring_.progress();
    EventPieces block{event.bytes, event.size, nullptr, 0};
    size_t done = write(block, after.file_end);
    after.file_end += done;
    return settle(block, done, after);
}

// Call after `done` bytes of these events were written and `after.file_end` is set.
Handled BlockWriter::settle(const EventPieces& events, size_t done, RingProgress after) {
    const bool is_short = done < events.bytes();
    const RingHeader& h = ring_.header();
    if (is_short && !is_limited_ && (may_wait_ || !owner_lives(h))) {
        *written_ -= done;
        if (!may_wait_) return Handled::kept;
        files_.cut(after.file_end - done);
        disk_.refuses();
        return Handled::wait;
    }
    disk_.takes();
    if (done > 0) files_.add_checksum(first_of(events, done), after.file_end - done, after.file_end);
    after.written += done;
    if (is_short) lose(events, done, after);
    if (!gaps_.save() && !owner_lives(h)) return Handled::kept;
    commit(after);
    return Handled::done;
}

void BlockWriter::commit(RingProgress after) {
    gaps_.note_in(after);
    ring_.commit(after);
}

// How many bytes got there: whole events.
size_t BlockWriter::write(const EventPieces& events, uint64_t offset) {
    uint64_t limit = ring_.header().limit;
    is_limited_ = limit > 0 && *written_ + events.bytes() > limit;
    if (is_limited_) return write_to_limit(events, offset);
    size_t done = files_.write(events, offset);
    *written_ += done;
    if (done < events.bytes()) report_refusal();
    return done;
}

void BlockWriter::report_refusal() const {
    const int cause = errno;
    const char* text =
        may_wait_ ? "cannot write events, they stay in memory while there is room, then they are lost: %s:"
        : owner_lives(ring_.header())
            ? "cannot write events, they are lost while this lasts: %s:"
            : "cannot write events, they are kept in memory until ovnirecover can write them: %s:";
    errno = cause;
    complain(Trouble::write, "ovni", text, files_.directory().c_str());
}

// Writes what still fits, and nothing after it.
size_t BlockWriter::write_to_limit(const EventPieces& events, uint64_t offset) {
    const uint64_t limit = ring_.header().limit;
    complain(Trouble::limit, "ovni", "process %d may not write more than %lu bytes, the rest is lost",
             ring_.header().pid, limit);
    std::vector<uint8_t> all = whole(events);
    size_t fit = *written_ < limit ? survey(all.data(), std::min(all.size(), limit - *written_)).bytes : 0;
    *written_ = limit;
    return fit > 0 ? files_.write({all.data(), fit, nullptr, 0}, offset) : 0;
}

// The block becomes what fits: the rest waits. Handlers' events have no end of their own in the ring.
size_t BlockWriter::shorten(RingBlock& block, const RingProgress& before, size_t done) {
    RingBlock shorter = next_block(ring_.ring(), before, before.drained + done, false);
    if (done > 0 && block.merged.empty() && shorter.merged.empty()) {
        shorter.after.skipped = block.after.skipped;
        block = std::move(shorter);
        ring_.set_damaged(false);  // what comes behind is looked at again
        return done;
    }
    *written_ -= done;
    return 0;
}

void BlockWriter::lose(const EventPieces& events, size_t done, RingProgress& after) {
    std::vector<uint8_t> bytes = whole(events);
    EventSpan lost = survey(bytes.data() + done, bytes.size() - done);
    after.lost += lost.events;
    gaps_.list().lose_after(after.file_end, {after.file_end, lost.first_clock, lost.last_clock, lost.events,
                                             is_limited_ ? "limit" : error_gap});
}

}  // namespace ovni::writer
