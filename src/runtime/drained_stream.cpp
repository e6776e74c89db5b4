#include "runtime/drained_stream.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "ovni/format.h"
#include "runtime/diagnostics.hpp"
#include "runtime/event.hpp"
#include "runtime/flight.hpp"
#include "runtime/posix_io.hpp"
#include "runtime/session.hpp"

namespace ovni {
namespace {

constexpr const char* events_file = "/stream.obs";
constexpr const char* metadata_file = "/stream.json";
constexpr const char* gaps_file = "/stream.gaps.json";
constexpr const char* checksum_file = "/stream.crc";

const char* name_of(RingEnd end) {
    constexpr const char* names[] = {"", "exit", "signal", "recovered", "exec"};
    return names[static_cast<size_t>(end)];
}

}  // namespace

// The owner has opened the ring again, for another stream.
void DrainedStream::start_over() {
    generation_ = header().generation.load(std::memory_order_acquire);
    prepared_ = has_no_checksums_ = false;
    rest();
    gaps_ = Gaps();
}

const std::string& DrainedStream::place() {
    if (generation_ != header().generation.load(std::memory_order_acquire)) start_over();
    if (note_.place.empty() || !prepared_)
        if (std::optional<StreamNote> note = StreamNote::read(note_path_)) note_ = std::move(*note);
    return note_.place;
}

// Nothing was recorded that is worth a stream.
bool DrainedStream::is_empty() const {
    const RingHeader& h = header();
    uint64_t least = h.begin_bytes.load(std::memory_order_acquire);
    return h.published.load(std::memory_order_acquire) <= least && progress().file_end == 0 &&
           !h.at_once.load(std::memory_order_relaxed);
}

bool DrainedStream::prepare() {
    if (prepared_) return true;
    std::optional<StreamNote> note = StreamNote::read(note_path_);
    if (!note) {
        complain(Trouble::metadata, "drain", "cannot read %s:", note_path_.c_str());
        return false;
    }
    note_ = std::move(*note);
    for (const std::string& root : {note_.roots.trace, note_.roots.temporary})
        if (!root.empty() && !make_directory(root + note_.place))
            complain(Trouble::directory, "drain", "cannot make directory %s%s:", root.c_str(),
                     note_.place.c_str());
    prepared_ = true;
    std::string gaps = note_.directory() + gaps_file;
    bool goes_on = progress().file_end > 0 || header().continues.load(std::memory_order_relaxed);
    if (!goes_on) {
        ::unlink(gaps.c_str());
        ::unlink((note_.directory() + checksum_file).c_str());
    } else if (std::optional<std::string> text = read_text(gaps)) {
        gaps_ = Gaps::parse(text->c_str());
    }
    if (progress().file_end == 0) {
        // Both are needed for all that follows.
        open_file();
        RingProgress begin = progress();
        begin.file_end = OVNI_FORMAT_STREAM_HEADER;
        if (goes_on && file_.is_open()) begin.file_end = std::max(begin.file_end, file_.size());
        commit(begin);
        // Where the program made the file, the metadata are its own to write as long as the stream is open.
        if (!header().at_once.load(std::memory_order_relaxed)) write_metadata(nullptr);
    }
    return true;
}

bool DrainedStream::open_file() {
    if (file_.is_open()) return true;
    bool goes_on = progress().file_end > 0 || header().continues.load(std::memory_order_relaxed);
    std::string path = note_.directory() + events_file;
    if (file_.open(path, goes_on ? StreamFile::Content::keep : StreamFile::Content::discard)) return true;
    complain(Trouble::open, "drain", "cannot write %s:", path.c_str());
    return false;
}

double DrainedStream::drain() {
    RingHeader& h = header();
    RingState state = h.state.load(std::memory_order_acquire);
    if (state != RingState::open && state != RingState::closed) return 0;
    if (generation_ != h.generation.load(std::memory_order_acquire)) start_over();
    if (!h.placed.load(std::memory_order_acquire) || is_empty() || !prepare()) return 0;
    uint64_t published = h.published.load(std::memory_order_acquire), begin = progress().drained;
    if (h.kept > 0) {
        uint64_t wanted = std::min(h.wanted.load(std::memory_order_acquire), published);
        if (wanted > begin) write_newest(wanted, false);
        give_up_until(kept_from(h, progress(), published));
    } else if (published > begin || h.notes_added.load(std::memory_order_acquire) != progress().notes_taken) {
        write_until(published, false);
    }
    uint64_t waiting = published - begin;
    return static_cast<double>(waiting - std::min(waiting, h.kept)) /
           static_cast<double>(ring_.capacity() - h.kept);
}

void DrainedStream::write_until(uint64_t end, bool all) {
    RingProgress before = progress();
    RingBlock next = next_block(ring_, before, end, all);
    if (before.skipped.to > 0)
        gaps_.add(
            {before.file_end, before.skipped.from, before.skipped.to, before.skipped.events, flight_gap});
    next.after.skipped = {};
    size_t done = write(next.bytes, before.file_end);
    next.after.file_end = before.file_end + done;
    take_notes(before, end, next.after);
    settle(next.bytes, done, next.after);
}

void DrainedStream::write_newest(uint64_t end, bool all) {
    if (header().kept > 0) give_up_until(kept_from(header(), progress(), end));
    write_until(end, all);
}

void DrainedStream::give_up_until(uint64_t target) {
    RingProgress before = progress();
    if (target <= before.drained) return;
    uint64_t end = end_of_event(ring_, before.drained, target);
    RingBlock next = next_block(ring_, before, end, false);
    Thinned thinned = thin_out(next.bytes, before.file_end, before.skipped);
    for (Gap& gap : thinned.gaps) gaps_.add(std::move(gap));
    next.after.skipped = thinned.skipped;
    uint32_t added = header().notes_added.load(std::memory_order_acquire);
    for (; next.after.notes_taken != added; ++next.after.notes_taken) {
        const RingNote& note = header().notes[next.after.notes_taken % RingHeader::most_notes];
        if (note.position > end) break;
        skip(next.after.skipped, note.from, note.to, note.lost);
    }
    EventPieces needed{thinned.needed.data(), thinned.needed.size(), nullptr, 0};
    size_t done = write(needed, before.file_end);
    next.after.file_end = before.file_end + done;
    settle(needed, done, next.after);
}

// After `done` bytes of these events were written, and `after.file_end` says so.
void DrainedStream::settle(const EventPieces& events, size_t done, const RingProgress& after) {
    RingProgress settled = after;
    if (done < events.bytes())
        lose(events, done, settled);
    else if (done > 0)
        add_checksum(events, settled.file_end - done, settled.file_end);
    write_gaps();
    commit(settled);
}

// How many bytes got there: whole events.
size_t DrainedStream::write(const EventPieces& events, uint64_t offset) {
    uint64_t limit = header().limit;
    if (limit > 0 && *written_ + events.bytes() > limit) return write_to_limit(events, offset);
    size_t done = open_file() ? file_.write(events, offset) : 0;
    *written_ += done;
    if (done < events.bytes())
        complain(Trouble::write, "ovni",
                 "cannot write events, they are lost from here on: %s:", note_.directory().c_str());
    return done;
}

// What still fits, and nothing after it.
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
    const char* reason = header().limit > 0 && *written_ + lost.bytes > header().limit ? "limit" : "error";
    gaps_.lose_after(after.file_end,
                     {after.file_end, lost.first_clock, lost.last_clock, lost.events, reason});
}

// Once blocks are missing in it, the file would be wrong about all that follows.
void DrainedStream::add_checksum(const EventPieces& block, uint64_t begin, uint64_t end) {
    if (has_no_checksums_) return;
    std::string path = note_.directory() + checksum_file;
    bool open = checksums_.is_open() || checksums_.open(path, begin);
    if (open && checksums_.end() == begin && checksums_.append(block, end)) return;
    has_no_checksums_ = true;
    checksums_.close();
}

// Their place in the stream is that in the ring, but for what handlers put in between.
void DrainedStream::take_notes(const RingProgress& before, uint64_t end, RingProgress& after) {
    uint32_t added = header().notes_added.load(std::memory_order_acquire);
    for (; after.notes_taken != added; ++after.notes_taken) {
        const RingNote& note = header().notes[after.notes_taken % RingHeader::most_notes];
        if (note.position > end) break;
        uint64_t distance = std::max(note.position, before.drained) - before.drained;
        uint64_t offset = note.position == end ? after.file_end : before.file_end + distance;
        gaps_.add({offset, note.from, note.to, note.lost,
                   std::string(note.reason, strnlen(note.reason, sizeof note.reason))});
    }
}

void DrainedStream::commit(const RingProgress& after) {
    RingHeader& h = header();
    uint32_t next = h.current.load(std::memory_order_relaxed) + 1;
    h.progress[next % 2] = after;
    h.current.store(next, std::memory_order_release);
    for (uint32_t d = 0; d < RingHeader::nested_rings; ++d)
        h.nested[d].drained.store(after.nested_drained[d], std::memory_order_release);
    h.notes_taken.store(after.notes_taken, std::memory_order_release);
    h.drained.store(after.drained, std::memory_order_release);
    h.drained_blocks.fetch_add(1, std::memory_order_seq_cst);
    wake_all(h.drained_blocks);
}

// The last block lies in the ring still, as nothing was published since.
uint64_t DrainedStream::last_clock() const {
    const RingProgress& now = progress();
    std::vector<uint8_t> bytes = copy_events(ring_, now.last_block, now.drained);
    return survey(bytes.data(), bytes.size()).last_clock;
}

void DrainedStream::end_our_life(const OwnerEnd& end) {
    uint64_t clock = header().end_clock.load(std::memory_order_acquire);
    bool ours = header().life_is_ours.load(std::memory_order_acquire);
    bool theirs = header().lives.load(std::memory_order_acquire) && end.how == RingEnd::exec;
    if (!theirs && !(ours && (clock != 0 || end.how == RingEnd::exec))) return;
    Event last = make_event("OHe", std::max(clock, last_clock()));
    RingProgress after = progress();
    EventPieces block{last.bytes, last.size, nullptr, 0};
    size_t done = write(block, after.file_end);
    if (done == last.size) add_checksum(block, after.file_end, after.file_end + done);
    after.file_end += done;
    if (done < last.size) lose(block, done, after);
    header().life_is_ours.store(0, std::memory_order_relaxed);
    commit(after);
}

void DrainedStream::finish(const OwnerEnd& end) {
    RingHeader& h = header();
    RingState state = h.state.load(std::memory_order_acquire);
    if (state != RingState::open && state != RingState::closed) return;
    if (generation_ != h.generation.load(std::memory_order_acquire)) start_over();
    if (!is_empty() && prepare()) {
        // What the owner said last.
        if (std::optional<StreamNote> note = StreamNote::read(note_path_))
            note_.metadata = std::move(note->metadata);
        write_newest(h.published.load(std::memory_order_acquire), true);
        end_our_life(end);
        gaps_.clamp(progress().file_end);
        write_gaps();
        write_metadata(state == RingState::closed ? nullptr : &end);
        rest();
        if (!note_.roots.temporary.empty() && end.how != RingEnd::exec) {
            move_stream(note_.directory(), note_.roots.trace + note_.place);
            remove_empty(note_.roots.temporary, note_.place);
        }
    }
    prepared_ = false;
    h.state.store(RingState::done, std::memory_order_release);
    h.drained_blocks.fetch_add(1, std::memory_order_seq_cst);
    wake_all(h.drained_blocks);
}

// `end`: of a stream that its owner has not closed.
void DrainedStream::write_metadata(const OwnerEnd* end) {
    Json metadata = note_.metadata;
    Json& ovni = metadata["ovni"];
    if (!ovni.is_object()) ovni = Json::object();
    const RingMoved& moved = header().moved[header().current_moved.load() % 2];
    uint64_t lost = progress().lost + moved.lost;
    for (const NestedRing& nested : header().nested) lost += nested.lost.load(std::memory_order_relaxed);
    if (lost > 0) {
        const Json& before = ovni["lost"];
        ovni["lost"] = lost + (before.is_number() ? before.get<uint64_t>() : 0);
    }
    uint64_t raised = header().raised.load(std::memory_order_relaxed) + moved.raised;
    if (raised > 0) ovni["raised"] = raised;
    if (end) {
        ovni["end"] = {{"by", name_of(end->how)}, {"code", end->code}, {"clock", last_clock()}};
        ovni["finished"] = 1;
    } else if (gaps_.reach(progress().file_end) && ovni.contains("finished") && !ovni.contains("end")) {
        // What the program said of its end is lost.
        ovni["end"] = {{"by", "loss"}, {"code", 0}, {"clock", last_clock()}};
    }
    std::string path = note_.directory() + metadata_file;
    if (!replace_file(path, json_text(metadata, JsonStyle::pretty)))
        complain(Trouble::metadata, "drain", "cannot write %s:", path.c_str());
}

void DrainedStream::write_gaps() {
    if (!gaps_.changed()) return;
    std::string path = note_.directory() + gaps_file;
    if (replace_file(path, gaps_.text()))
        gaps_.saved();
    else
        complain(Trouble::metadata, "drain", "cannot write %s:", path.c_str());
}

}  // namespace ovni
