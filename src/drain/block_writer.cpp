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
    for (Gap& gap : gaps_of(before.skipped, before.stream_end)) gaps_.list().add(std::move(gap));
    next.after.skipped = {};
    Written done = write(next.bytes);
    if (may_wait_ && !done.is_limited && done.events < next.bytes.bytes()) done = shorten(next, before, done);
    std::vector<Gap> behind;
    for (const RingNote& note : take_notes(ring_.ring(), before, all, next.after)) {
        const bool is_behind = note.position == next.after.drained;
        const uint64_t distance = is_behind ? done.events : next.distance_to(note.position);
        Gap gap{before.stream_end + distance, note.from, note.to, note.lost,
                std::string(note.reason, strnlen(note.reason, sizeof note.reason))};
        if (is_behind)
            behind.push_back(std::move(gap));
        else
            gaps_.list().add(std::move(gap));
    }
    return settle(next.bytes, done, next.after, std::move(behind));
}

Handled BlockWriter::give_up_until(uint64_t target) {
    const RingProgress before = ring_.progress();
    if (target <= before.drained) return Handled::done;
    uint64_t end = end_of_event(ring_.ring(), before.drained, target);
    if (end < target) ring_.set_damaged(true);
    RingBlock next = next_block(ring_.ring(), before, end, false);
    Thinned thinned = thin_out(next.bytes, before.stream_end, before.skipped);
    for (Gap& gap : thinned.gaps) gaps_.list().add(std::move(gap));
    next.after.skipped = thinned.skipped;
    for (const RingNote& note : take_notes(ring_.ring(), before, false, next.after))
        skip(next.after.skipped, note);
    EventPieces needed{thinned.needed.data(), thinned.needed.size()};
    return settle(needed, write(needed), next.after);
}

Handled BlockWriter::append(const Event& event) {
    EventPieces block{event.bytes, event.size};
    return settle(block, write(block), ring_.progress());
}

// Call after these events were written; `after` lacks their bytes. `behind`: gaps behind them, also if they
// are lost.
Handled BlockWriter::settle(const EventPieces& events, const Written& done, RingProgress after,
                            std::vector<Gap> behind) {
    const bool is_short = done.events < events.bytes();
    const RingHeader& h = ring_.header();
    if (is_short && !done.is_limited && (may_wait_ || !owner_lives(h))) {
        *written_ -= done.file;
        if (!may_wait_) return Handled::kept;
        files_.cut(after.file_end);
        disk_.refuses();
        return Handled::wait;
    }
    disk_.takes();
    after.stream_end += done.events;
    after.file_end += done.file;
    after.written += done.file;
    if (done.events > 0) files_.add_checksum(first_of(events, done.events), after);
    if (is_short) lose(events, done, after);
    for (Gap& gap : behind) gaps_.list().add(std::move(gap));
    if (!gaps_.save() && !owner_lives(h)) return Handled::kept;
    commit(after);
    return Handled::done;
}

void BlockWriter::commit(RingProgress after) {
    gaps_.note_in(after);
    ring_.commit(after);
}

// Behind the progress of the ring.
Written BlockWriter::write(const EventPieces& events) {
    if (events.bytes() == 0) return {};
    const uint64_t limit = ring_.header().limit;
    const uint64_t room = limit == 0 ? UINT64_MAX : limit - std::min(limit, *written_);
    const Written done = files_.write(events, ring_.progress(), room);
    *written_ += done.file;
    if (done.is_limited) {
        complain(Trouble::limit, "ovni", "process %d may not write more than %lu bytes, the rest is lost",
                 ring_.header().pid, limit);
        *written_ = limit;
    } else if (done.events < events.bytes()) {
        report_refusal();
    }
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

// The block becomes what fits: the rest waits. Handlers' events have no end of their own in the ring.
Written BlockWriter::shorten(RingBlock& block, const RingProgress& before, const Written& done) {
    RingBlock shorter = next_block(ring_.ring(), before, before.drained + done.events, false);
    if (done.events > 0 && block.merged.empty() && shorter.merged.empty()) {
        shorter.after.skipped = block.after.skipped;
        block = std::move(shorter);
        ring_.set_damaged(false);  // what comes behind is looked at again
        return done;
    }
    *written_ -= done.file;
    return {};
}

void BlockWriter::lose(const EventPieces& events, const Written& done, RingProgress& after) {
    std::vector<uint8_t> bytes = whole(events);
    EventSpan lost = survey(bytes.data() + done.events, bytes.size() - done.events);
    after.lost += lost.events;
    gaps_.list().lose_after(after.stream_end, {after.stream_end, lost.first_clock, lost.last_clock,
                                               lost.events, done.is_limited ? "limit" : error_gap});
}

}  // namespace ovni::writer
