#include "drain/drained_stream.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "drain/flight.hpp"
#include "ovni/format.h"
#include "ring/diagnostics.hpp"
#include "ring/event.hpp"
#include "ring/futex.hpp"
#include "ring/posix_io.hpp"
#include "ring/session.hpp"
#include "ring/stream_names.hpp"

namespace ovni::writer {
namespace {

EventPieces first_of(const EventPieces& events, size_t bytes) {
    size_t first = std::min(events.first_bytes, bytes);
    return {events.first, first, events.second, bytes - first};
}

constexpr const char* error_gap = "error";

// Several processes of a machine may have one number; only one of them is in the first namespace.
bool may_have_namesakes(const RingHeader& ring) {
    return ring.pid_space != 0 && ring.pid_space != first_pid_space;
}

}  // namespace

// The owner has opened the ring again, for another stream.
void DrainedStream::start_over() {
    generation_ = header().generation.load(std::memory_order_acquire);
    prepared_ = has_no_checksums_ = stuck_ = damaged_ = goes_on_by_owner_ = false;
    next_attempt_ = 0;
    rest();
    gaps_ = Gaps();
    earlier_ = {};
    stray_.clear();
}

// A thread that hangs settles nothing any more, so what it has noted holds if somebody wants to read.
bool DrainedStream::is_placed() {
    RingHeader& h = header();
    RingPlace place = h.place.load(std::memory_order_acquire);
    if (place == RingPlace::noted && is_reading_wanted() &&
        h.place.compare_exchange_strong(place, RingPlace::settled))
        return true;
    return place == RingPlace::settled;
}

bool DrainedStream::is_reading_wanted() const {
    return header().readings.load(std::memory_order_acquire) !=
           header().readings_made.load(std::memory_order_relaxed);
}

bool DrainedStream::prepare() {
    if (prepared_) return true;
    std::optional<StreamNote> note = read_note();
    if (!note) {
        complain(Trouble::metadata, "drain", "cannot read %s:", note_path_.c_str());
        return false;
    }
    note_ = std::move(*note);
    if (place_is_of_others()) step_aside();
    find_earlier();
    stay_in_trace();
    if (is_lost()) {
        complain(Trouble::open, "drain", "%s%s was removed, or cut off, after events had been written to it",
                 note_.directory().c_str(), events_file);
        return keep();
    }
    make_directories();
    prepared_ = true;
    if (progress().file_end == 0) return begin();
    take_up();
    return true;
}

bool DrainedStream::begin() {
    bool is_open = open_file();
    bool goes_on = header().continues.load(std::memory_order_relaxed);
    if (goes_on) {
        gaps_ = Gaps::load(gaps_path());
    } else {
        for (const std::string& root : {note_.roots.trace, note_.roots.temporary})
            for (const char* name : {gaps_file, checksum_file})
                if (!root.empty()) ::unlink((root + note_.place + name).c_str());
    }
    // Both are needed for all that follows.
    if (!is_open && !owner_lives(header())) return keep();
    RingProgress begin = progress();
    begin.file_end = OVNI_FORMAT_STREAM_HEADER;
    if (goes_on && file_.is_open()) begin.file_end = std::max(begin.file_end, file_.size());
    commit(begin);
    Gaps::reserve(gaps_path());
    if (earlier_.open_life > 0) append(make_event("OHe", earlier_.open_life));
    // A program that made the file writes the metadata itself while the stream is open.
    bool is_theirs = header().at_once.load(std::memory_order_relaxed) && !header().aside.load();
    if (!is_theirs) write_metadata(nullptr);
    return true;
}

// Another drainer may have written before: only what the ring says counts.
void DrainedStream::take_up() {
    gaps_ = Gaps::load(gaps_path());
    gaps_.go_back_to(progress().gaps);
    for (Gap& gap : gaps_of(progress().unsaved, progress().unsaved_at, error_gap)) gaps_.add(std::move(gap));
    announce();
    if (open_file() && file_.size() > progress().file_end) file_.cut(progress().file_end);
}

bool DrainedStream::open_file() {
    if (file_.is_open()) return true;
    using Content = StreamFile::Content;
    using Claim = StreamFile::Claim;
    bool goes_on = header().continues.load(std::memory_order_relaxed);
    Content content = goes_on ? Content::keep : Content::discard;
    if (progress().file_end > OVNI_FORMAT_STREAM_HEADER) content = Content::existing;
    std::string path = note_.directory() + events_file;
    if (file_.open(path, content, may_have_namesakes(header()) ? Claim::needed : Claim::none)) return true;
    if (errno == EWOULDBLOCK && progress().file_end == 0 && !header().aside.load()) {
        step_aside();
        make_directories();
        return open_file();
    }
    complain(Trouble::open, "drain", "cannot write %s:", path.c_str());
    return false;
}

// Something else wrote into the ring. The stream is whole so far; nothing follows.
bool DrainedStream::is_damaged() {
    if (!damaged_ && !ring_.is_sound()) tell_damage();
    return damaged_;
}

void DrainedStream::tell_damage() {
    damaged_ = true;
    complain(Trouble::memory, "drain", "the memory of the events of thread %d is damaged: they end here",
             header().tid);
}

double DrainedStream::drain() {
    RingHeader& h = header();
    RingState state = h.state.load(std::memory_order_acquire);
    if (state != RingState::open && state != RingState::closed) return 0;
    if (generation_ != h.generation.load(std::memory_order_acquire)) start_over();
    if (is_damaged()) {
        // Its owner waits for nothing.
        h.drained.store(h.published.load(std::memory_order_acquire), std::memory_order_release);
        return 0;
    }
    const uint64_t published = h.published.load(std::memory_order_acquire);
    const bool is_asked = std::min(h.wanted.load(std::memory_order_acquire), published) > h.refused.load();
    const bool is_crowded = this->is_crowded(published);
    // The owner rings if the ring gets crowded.
    if (!is_asked && !is_crowded && monotonic_clock() < next_attempt_) return 0;
    if (stuck_ || is_empty(h) || !is_placed() || !prepare()) return 0;
    const uint64_t begin = progress().drained, waiting = published - begin;
    may_wait_ = true;
    const bool is_done = write_published(published);
    may_wait_ = false;
    if (stuck_) return 0;
    if (!is_done) {
        if (is_crowded && prepare()) give_up_older(published);
        tell_refused(published);
        return 0;
    }
    if (!make_readable()) tell_refused(published);
    return static_cast<double>(waiting - std::min(waiting, h.kept)) /
           static_cast<double>(ring_.capacity() - h.kept);
}

bool DrainedStream::write_published(uint64_t published) {
    RingHeader& h = header();
    if (h.kept > 0) {
        const uint64_t wanted = std::min(h.wanted.load(std::memory_order_acquire), published);
        return (wanted <= progress().drained || write_newest(wanted, false)) &&
               give_up_until(kept_from(h, progress(), published));
    }
    const bool has_notes = h.notes_added.load(std::memory_order_acquire) != progress().notes_taken;
    return (published == progress().drained && !has_notes) || write_until(published, false);
}

// Metadata that says so holds until the next one is written.
bool DrainedStream::make_readable() {
    if (!is_reading_wanted()) return true;
    RingHeader& h = header();
    const uint32_t wanted = h.readings.load(std::memory_order_acquire);
    const OwnerEnd now{RingEnd::running, 0, event_clock(monotonic_clock())};
    if (!write_gaps() || !write_metadata(&now)) return false;
    h.readings_made.store(wanted, std::memory_order_release);
    return true;
}

bool DrainedStream::write_until(uint64_t end, bool all) {
    RingProgress before = progress();
    uint64_t sound = end_of_sound_events(ring_, before.drained, end);
    if (sound < end) tell_damage();
    RingBlock next = next_block(ring_, before, sound, all);
    for (Gap& gap : gaps_of(before.skipped, before.file_end)) gaps_.add(std::move(gap));
    next.after.skipped = {};
    size_t done = write(next.bytes, before.file_end);
    if (may_wait_ && !limited_ && done < next.bytes.bytes()) done = shorten(next, before, done);
    next.after.file_end = before.file_end + done;
    for (const RingNote& note : take_notes(ring_, before, all, next.after)) {
        bool is_behind = note.position == next.after.drained;
        uint64_t distance = is_behind ? done : next.distance_to(note.position);
        gaps_.add({before.file_end + distance, note.from, note.to, note.lost,
                   std::string(note.reason, strnlen(note.reason, sizeof note.reason))});
    }
    return settle(next.bytes, done, next.after);
}

bool DrainedStream::write_newest(uint64_t end, bool all) {
    if (header().kept > 0 && !give_up_until(kept_from(header(), progress(), end))) return false;
    return write_until(end, all);
}

bool DrainedStream::give_up_until(uint64_t target) {
    RingProgress before = progress();
    if (target <= before.drained) return true;
    uint64_t end = end_of_event(ring_, before.drained, target);
    if (end < target) damaged_ = true;
    RingBlock next = next_block(ring_, before, end, false);
    Thinned thinned = thin_out(next.bytes, before.file_end, before.skipped);
    for (Gap& gap : thinned.gaps) gaps_.add(std::move(gap));
    next.after.skipped = thinned.skipped;
    for (const RingNote& note : take_notes(ring_, before, false, next.after)) skip(next.after.skipped, note);
    EventPieces needed{thinned.needed.data(), thinned.needed.size(), nullptr, 0};
    size_t done = write(needed, before.file_end);
    next.after.file_end = before.file_end + done;
    return settle(needed, done, next.after);
}

// After `done` bytes of these events were written, and `after.file_end` says so. False where the rest is kept
// in the ring.
bool DrainedStream::settle(const EventPieces& events, size_t done, const RingProgress& after) {
    RingProgress settled = after;
    bool is_short = done < events.bytes();
    if (is_short && !limited_ && (may_wait_ || !owner_lives(header()))) {
        *written_ -= done;
        return may_wait_ ? wait_for_room(settled.file_end - done) : keep();
    }
    next_attempt_ = 0;
    header().refused.store(0, std::memory_order_relaxed);
    if (done > 0) add_checksum(first_of(events, done), settled.file_end - done, settled.file_end);
    settled.written += done;
    if (is_short) lose(events, done, settled);
    if (!write_gaps() && !owner_lives(header())) return keep();
    commit(settled);
    return true;
}

// The ring says what the file of gaps lacks: this drainer may end before there is room.
void DrainedStream::note_gaps(RingProgress& now, const GapMark& saved) const {
    now.gaps = gaps_.is_saved() ? gaps_.mark() : saved;
    now.unsaved = {};
    const std::vector<Gap> unsaved = gaps_.behind(now.gaps);
    for (const Gap& gap : unsaved) skip(now.unsaved, gap);
    if (!unsaved.empty()) now.unsaved_at = unsaved.front().offset;
}

// The next attempt begins with what the ring says.
bool DrainedStream::keep() {
    forget();
    stuck_ = true;
    return false;
}

void DrainedStream::forget() {
    prepared_ = damaged_ = false;
    gaps_ = Gaps();
    rest();
}

// How many bytes got there: whole events.
size_t DrainedStream::write(const EventPieces& events, uint64_t offset) {
    uint64_t limit = header().limit;
    limited_ = limit > 0 && *written_ + events.bytes() > limit;
    if (limited_) return write_to_limit(events, offset);
    size_t done = open_file() ? file_.write(events, offset) : 0;
    *written_ += done;
    if (done < events.bytes()) {
        const int cause = errno;
        const char* text =
            may_wait_
                ? "cannot write events, they stay in memory while there is room, then they are lost: %s:"
            : owner_lives(header())
                ? "cannot write events, they are lost while this lasts: %s:"
                : "cannot write events, they are kept in memory until ovnirecover can write them: %s:";
        errno = cause;
        complain(Trouble::write, "ovni", text, note_.directory().c_str());
    }
    return done;
}

// Writes what still fits, and nothing after it.
size_t DrainedStream::write_to_limit(const EventPieces& events, uint64_t offset) {
    uint64_t limit = header().limit;
    complain(Trouble::limit, "ovni", "process %d may not write more than %lu bytes, the rest is lost",
             header().pid, limit);
    std::vector<uint8_t> all = whole(events);
    size_t fit = *written_ < limit ? survey(all.data(), std::min(all.size(), limit - *written_)).bytes : 0;
    *written_ = limit;
    return fit > 0 && open_file() ? file_.write({all.data(), fit, nullptr, 0}, offset) : 0;
}

void DrainedStream::lose(const EventPieces& events, size_t done, RingProgress& after) {
    std::vector<uint8_t> bytes = whole(events);
    EventSpan lost = survey(bytes.data() + done, bytes.size() - done);
    after.lost += lost.events;
    gaps_.lose_after(after.file_end, {after.file_end, lost.first_clock, lost.last_clock, lost.events,
                                      limited_ ? "limit" : error_gap});
}

void DrainedStream::commit(const RingProgress& after) {
    RingHeader& h = header();
    uint32_t next = h.current.load(std::memory_order_relaxed) + 1;
    const GapMark saved = progress().gaps;
    h.progress[next % 2] = after;
    note_gaps(h.progress[next % 2], saved);
    h.current.store(next, std::memory_order_release);
    announce();
}

// The owner learns of it, even if a drainer died before it could say so.
void DrainedStream::announce() {
    RingHeader& h = header();
    const RingProgress& after = progress();
    for (uint32_t d = 0; d < RingHeader::nested_rings; ++d) {
        h.nested[d].drained.store(after.nested_drained[d], std::memory_order_release);
        h.nested[d].lost_told.store(after.nested_lost_told[d], std::memory_order_release);
    }
    h.notes_taken.store(after.notes_taken, std::memory_order_release);
    h.drained.store(after.drained, std::memory_order_release);
    h.drained_blocks.fetch_add(1, std::memory_order_seq_cst);
    futex_wake_all(h.drained_blocks);
}

}  // namespace ovni::writer
