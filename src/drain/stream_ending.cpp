// How streams end: what their owners have left to say, where they go, and what goes on in them later.
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "drain/drained_stream.hpp"
#include "ring/diagnostics.hpp"
#include "ring/futex.hpp"
#include "ring/posix_io.hpp"
#include "ring/stream_names.hpp"

namespace ovni::writer {
namespace {

const char* name_of(RingEnd end) {
    constexpr const char* names[] = {"", "exit", "signal", "recovered", "exec", "running"};
    return names[static_cast<size_t>(end)];
}

// The owner's report of its end. A program may write anything there, by mistake.
RingEnd end_told_in(const RingHeader& ring) {
    const RingEnd told = ring.end.load(std::memory_order_acquire);
    return told <= RingEnd::running ? told : RingEnd::recovered;
}

// The namespace of the process that a stream belongs to; nothing if there is no stream.
std::optional<uint64_t> space_of_stream(const std::string& metadata) {
    std::optional<std::string> text = read_text(metadata);
    std::optional<Json> json = text ? json_parse(text->c_str(), JsonNumbers::as_written) : std::nullopt;
    if (!json || !json->is_object() || !(*json)["ovni"].is_object()) return std::nullopt;
    uint64_t space = number_in((*json)["ovni"], "pid_space");
    return space != 0 ? space : first_pid_space;
}

uint64_t size_of(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 ? static_cast<uint64_t>(status.st_size) : 0;
}

// Transient: descriptors are short for a moment.
bool lacks_descriptors() {
    return errno == EMFILE || errno == ENFILE;
}

// Paths may be spelled in different ways.
bool is_same_file(const std::string& one, const std::string& other) {
    struct stat a {
    }, b{};
    return ::stat(one.c_str(), &a) == 0 && ::stat(other.c_str(), &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

}  // namespace

std::optional<StreamNote> DrainedStream::read_note() const {
    std::optional<StreamNote> note = StreamNote::read(note_path_);
    if (!note || !header().aside.load(std::memory_order_relaxed)) return note;
    std::string space = "." + std::to_string(header().pid_space);
    note->place.insert(std::min(note->place.find('/', 1), note->place.size()), space);
    Json& ovni = note->metadata["ovni"];
    if (ovni.is_object() && ovni["loom"].is_string()) ovni["loom"] = ovni["loom"].get<std::string>() + space;
    return note;
}

// A process of another namespace has this number, under this name of the machine.
bool DrainedStream::place_is_of_others() {
    if (progress().file_end > 0 || header().aside.load(std::memory_order_relaxed)) return false;
    ProcessId owner = owner_of(header());
    std::string directory = note_.roots.trace + note_.place.substr(0, note_.place.rfind('/'));
    const ProcessId& user = ended_.users.try_emplace(directory, owner).first->second;
    if (owner.space == 0) return false;
    if (user.space != 0 && user.space != owner.space) return true;
    // Another drainer made the file. A file that the program made is the program's.
    if (header().at_once.load(std::memory_order_relaxed)) return false;
    std::optional<uint64_t> there = space_of_stream(note_.directory() + metadata_file);
    return there && *there != owner.space;
}

void DrainedStream::step_aside() {
    header().aside.store(1, std::memory_order_relaxed);
    std::string taken = note_.place;
    if (std::optional<StreamNote> note = read_note()) note_ = std::move(*note);
    complain(Trouble::namesake, "drain", "%s%s is of another process, whose number this one has, too: see %s",
             note_.roots.trace.c_str(), taken.c_str(), note_.place.c_str());
}

void DrainedStream::make_directories() const {
    for (const std::string& root : {note_.roots.trace, note_.roots.temporary})
        if (!root.empty() && !make_directory(root + note_.place))
            complain(Trouble::directory, "drain", "cannot make directory %s%s:", root.c_str(),
                     note_.place.c_str());
}

// A stream is there that this one goes on with.
void DrainedStream::find_earlier() {
    constexpr uint32_t by_owner = 1, by_drainer = 2;
    uint32_t continues = header().continues.load(std::memory_order_relaxed);
    goes_on_by_owner_ = continues == by_owner;
    auto found = ended_.find(note_.roots.trace + note_.place);
    if (found != ended_.end()) {
        earlier_ = found->second;
        if (!goes_on_by_owner_) header().continues.store(by_drainer, std::memory_order_relaxed);
    } else if (continues == by_drainer && !header().at_once.load(std::memory_order_relaxed)) {
        // Another drainer knew it.
        std::optional<std::string> text = read_text(note_.directory() + metadata_file);
        if (text) earlier_.metadata = std::move(*text);
    }
}

// The stream was moved there when it ended.
void DrainedStream::stay_in_trace() {
    if (note_.roots.temporary.empty() || !header().continues.load(std::memory_order_relaxed)) return;
    uint64_t least = std::max<uint64_t>(progress().file_end, OVNI_FORMAT_STREAM_HEADER + 1);
    if (size_of(note_.directory() + events_file) >= least ||
        size_of(note_.roots.trace + note_.place + events_file) < least)
        return;
    stray_ = std::exchange(note_.roots.temporary, {});
}

// The file was removed, or cut off, after it was written: it may come back to its place, and the ring has
// forgotten its events. A living owner goes on.
bool DrainedStream::is_lost() const {
    const uint64_t end = progress().file_end;
    return end > OVNI_FORMAT_STREAM_HEADER && !owner_lives(header()) &&
           size_of(note_.directory() + events_file) < end;
}

std::string DrainedStream::gaps_path() const {
    return note_.directory() + gaps_file;
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

// The last block lies in the ring still, as nothing was published since.
uint64_t DrainedStream::last_clock() const {
    const RingProgress& now = progress();
    if (now.drained - now.last_block > ring_.capacity()) return 0;
    std::vector<uint8_t> bytes = copy_events(ring_, now.last_block, now.drained);
    return std::max(survey(bytes.data(), bytes.size()).last_clock, now.last_of_handlers);
}

// The last states last until the process is gone. A program may have clocks of its own, which that time has
// nothing to do with.
uint64_t DrainedStream::clock_of(const OwnerEnd& end) const {
    const uint64_t last = last_clock();
    return last < header().opened_at.load(std::memory_order_relaxed) ? last : std::max(last, end.at);
}

uint64_t DrainedStream::lost_here() const {
    uint64_t lost = progress().lost + header().moved[header().current_moved.load() % 2].lost;
    for (const NestedRing& nested : header().nested) lost += nested.lost.load(std::memory_order_relaxed);
    return lost;
}

// An event that the owner did not live to emit.
void DrainedStream::append(const Event& event) {
    RingProgress after = progress();
    EventPieces block{event.bytes, event.size, nullptr, 0};
    size_t done = write(block, after.file_end);
    after.file_end += done;
    settle(block, done, after);
}

// False if there was no room for it.
bool DrainedStream::end_our_life(const OwnerEnd& end) {
    uint64_t clock = header().end_clock.load(std::memory_order_acquire);
    bool ours = header().life_is_ours.load(std::memory_order_acquire);
    bool theirs = header().lives.load(std::memory_order_acquire) && end.how == RingEnd::exec;
    if (!theirs && !(ours && (clock != 0 || end.how == RingEnd::exec))) return true;
    append(make_event("OHe", std::max(clock, last_clock())));
    if (stuck_) return false;
    header().life_is_ours.store(0, std::memory_order_relaxed);
    header().lives.store(0, std::memory_order_relaxed);
    return true;
}

bool DrainedStream::finish(const OwnerEnd& known) {
    RingHeader& h = header();
    RingState state = h.state.load(std::memory_order_acquire);
    if (state != RingState::open && state != RingState::closed) return true;
    // The owner's report of its end counts if nobody saw the end.
    OwnerEnd end = known;
    RingEnd told = end_told_in(h);
    if (end.how == RingEnd::recovered && told != RingEnd::in_order) end = {told, h.end_code.load(), end.at};
    if (generation_ != h.generation.load(std::memory_order_acquire)) start_over();
    stuck_ = false;
    if (!is_empty(h) && !end_stream(end, state == RingState::closed)) {
        stuck_ = true;
        return false;
    }
    prepared_ = false;
    h.state.store(RingState::done, std::memory_order_release);
    h.drained_blocks.fetch_add(1, std::memory_order_seq_cst);
    futex_wake_all(h.drained_blocks);
    return true;
}

bool DrainedStream::end_stream(const OwnerEnd& end, bool is_closed) {
    if (header().in_trace.load(std::memory_order_acquire)) return move_to_trace();
    bool may_be_lost = owner_lives(header());
    if (!prepare()) return may_be_lost && !lacks_descriptors();
    // The owner's last note.
    if (std::optional<StreamNote> note = read_note()) note_.metadata = std::move(note->metadata);
    if (!is_damaged()) {
        uint64_t published = header().published.load(std::memory_order_acquire);
        if (!write_newest(published, true) || !end_our_life(end)) return false;
    }
    gaps_.clamp(progress().file_end);
    if (damaged_) gaps_.add({progress().file_end, last_clock(), UINT64_MAX, 0, "damaged"});
    bool told = write_gaps();
    const bool in_order =
        is_closed || (end.how == RingEnd::exit && header().exit_in_order.load() != ExitInOrder::no);
    told = write_metadata(in_order ? nullptr : &end) && told;
    if (!told && (!may_be_lost || lacks_descriptors())) return keep();
    Gaps::give_up_reserve(gaps_path());
    rest();
    tell_others(in_order ? nullptr : &end);
    if (!stray_.empty()) {
        remove_stream(stray_ + note_.place);
        remove_empty(stray_, note_.place);
    }
    if (note_.roots.temporary.empty() || end.how == RingEnd::exec) return true;
    return move_to_trace() || may_be_lost;
}

void DrainedStream::tell_others(const OwnerEnd* end) {
    Json metadata = metadata_now(end);
    EndedStream ended{{}, lost_here() + earlier_.lost, number_in(metadata["ovni"], "raised"), 0};
    if (header().lives.load(std::memory_order_relaxed) ||
        header().life_is_ours.load(std::memory_order_relaxed))
        ended.open_life = last_clock();
    for (const char* member : {"end", "finished", "loom_cpus"}) metadata["ovni"].erase(member);
    ended.metadata = json_text(metadata, JsonStyle::compact);
    ended_[note_.roots.trace + note_.place] = std::move(ended);
}

// Once the ring says so, all is there, and what is left behind may go.
bool DrainedStream::move_to_trace() {
    std::optional<StreamNote> note = read_note();
    if (note) note_ = std::move(*note);
    std::string from = note_.directory(), to = note_.roots.trace + note_.place;
    if (from == to || is_same_file(from, to)) return true;
    if (!header().in_trace.load(std::memory_order_acquire)) {
        if (!copy_stream(from, to)) return false;
        header().in_trace.store(1, std::memory_order_release);
    }
    remove_stream(from);
    remove_empty(note_.roots.temporary, note_.place);
    return true;
}

// `end`: of a stream that its owner has not closed.
Json DrainedStream::metadata_now(const OwnerEnd* end) const {
    Json metadata = note_.metadata;
    Json& ovni = metadata["ovni"];
    if (!ovni.is_object()) ovni = Json::object();
    const RingMoved& moved = header().moved[header().current_moved.load() % 2];
    uint64_t lost = lost_here() + number_in(ovni, "lost");
    uint64_t raised = header().raised.load(std::memory_order_relaxed) + moved.raised + earlier_.raised;
    std::optional<Json> before = json_parse(earlier_.metadata.c_str(), JsonNumbers::as_written);
    if (goes_on_by_owner_ || !before || !before->is_object() || !(*before)["ovni"].is_object()) {
        lost += earlier_.lost;
    } else {
        lost += number_in((*before)["ovni"], "lost");
        for (const char* member : {"end", "finished"}) (*before)["ovni"].erase(member);
        before->merge_patch(metadata);
        metadata = std::move(*before);
    }
    Json& told = metadata["ovni"];
    if (header().name[0] != '\0')
        told["name"] = std::string(header().name, strnlen(header().name, sizeof header().name));
    if (lost > 0) told["lost"] = lost;
    if (raised > 0) told["raised"] = raised;
    if (uint64_t events = header().lost_elsewhere.load(std::memory_order_relaxed))
        told["lost_elsewhere"] = events;
    // The owner said so at the latest now, but may have no right any more to leave a note.
    const bool is_closed = header().state.load(std::memory_order_acquire) == RingState::closed;
    const ExitInOrder exit = header().exit_in_order.load();
    if (is_closed || exit != ExitInOrder::no) told["finished"] = 1;
    if (!is_closed && exit == ExitInOrder::amid) told["goes_on"] = 1;
    if (end) {
        told["end"] = {{"by", name_of(end->how)}, {"code", end->code}, {"clock", clock_of(*end)}};
        told["finished"] = 1;
    } else if (gaps_.reach(progress().file_end) && told.contains("finished") && !told.contains("end")) {
        // The program's report of its end is lost.
        told["end"] = {{"by", "loss"}, {"code", 0}, {"clock", last_clock()}};
    }
    return metadata;
}

bool DrainedStream::write_metadata(const OwnerEnd* end) {
    std::string path = note_.directory() + metadata_file;
    if (replace_file(path, json_text(metadata_now(end), JsonStyle::pretty))) return true;
    complain(Trouble::metadata, "drain", "cannot write %s:", path.c_str());
    return false;
}

bool DrainedStream::write_gaps() {
    std::string path = gaps_path();
    if (gaps_.save(path)) return true;
    complain(Trouble::metadata, "drain", "cannot write %s:", path.c_str());
    return false;
}

}  // namespace ovni::writer
