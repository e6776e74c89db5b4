#include "drain/stream_place.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "ovni/format.h"
#include "ring/diagnostics.hpp"
#include "ring/late_note.hpp"
#include "ring/posix_io.hpp"
#include "ring/stream_names.hpp"

namespace ovni::writer {
namespace {

// The process namespace of a stream; nothing if there is no stream.
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

// Paths may be spelled in different ways.
bool is_same_file(const std::string& one, const std::string& other) {
    struct stat a {
    }, b{};
    return ::stat(one.c_str(), &a) == 0 && ::stat(other.c_str(), &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

}  // namespace

std::optional<StreamNote> StreamPlace::read_note() const {
    std::optional<StreamNote> note = StreamNote::read(note_path_);
    const RingHeader& h = ring_.header();
    if (note) note->name_thread(h.tid);
    if (std::optional<Json> late = note ? late_note(ring_.ring()) : std::nullopt)
        note->metadata = std::move(*late);
    if (!note || !h.aside.load(std::memory_order_relaxed)) return note;
    std::string space = "." + std::to_string(h.pid_space);
    note->place.insert(std::min(note->place.find('/', 1), note->place.size()), space);
    Json& ovni = note->metadata["ovni"];
    if (ovni.is_object() && ovni["loom"].is_string()) ovni["loom"] = ovni["loom"].get<std::string>() + space;
    return note;
}

bool StreamPlace::find() {
    std::optional<StreamNote> note = read_note();
    if (!note) {
        complain(Trouble::metadata, "drain", "cannot read %s:", note_path_.c_str());
        return false;
    }
    note_ = std::move(*note);
    if (is_of_others()) step_aside();
    return true;
}

// A process of another namespace has this number, under this name of the machine.
bool StreamPlace::is_of_others() {
    const RingHeader& h = ring_.header();
    if (ring_.progress().file_end > 0 || h.aside.load(std::memory_order_relaxed)) return false;
    ProcessId owner = owner_of(h);
    std::string directory = note_.roots.trace + note_.place.substr(0, note_.place.rfind('/'));
    const ProcessId& user = ended_.users.try_emplace(directory, owner).first->second;
    if (owner.space == 0) return false;
    if (user.space != 0 && user.space != owner.space) return true;
    // Another drainer made the file. A file that the program made is the program's.
    if (h.at_once.load(std::memory_order_relaxed)) return false;
    std::optional<uint64_t> there = space_of_stream(path_of(metadata_file));
    return there && *there != owner.space;
}

void StreamPlace::step_aside() {
    ring_.header().aside.store(1, std::memory_order_relaxed);
    std::string taken = note_.place;
    if (std::optional<StreamNote> note = read_note()) note_ = std::move(*note);
    complain(Trouble::namesake, "drain", "%s%s is of another process, whose number this one has, too: see %s",
             note_.roots.trace.c_str(), taken.c_str(), note_.place.c_str());
}

void StreamPlace::make_directories() const {
    for (const std::string& root : {note_.roots.trace, note_.roots.temporary})
        if (!root.empty() && !make_directory(root + note_.place))
            complain(Trouble::directory, "drain", "cannot make directory %s%s:", root.c_str(),
                     note_.place.c_str());
}

void StreamPlace::remove_old(std::initializer_list<const char*> names) const {
    for (const std::string& root : {note_.roots.trace, note_.roots.temporary})
        for (const char* name : names)
            if (!root.empty()) ::unlink((root + note_.place + name).c_str());
}

void StreamPlace::stay_in_trace() {
    const RingHeader& h = ring_.header();
    if (note_.roots.temporary.empty() || !h.continues.load(std::memory_order_relaxed)) return;
    uint64_t least = std::max<uint64_t>(ring_.progress().file_end, OVNI_FORMAT_STREAM_HEADER + 1);
    if (size_of(path_of(events_file)) >= least || size_of(directory_in_trace() + events_file) < least) return;
    stray_ = std::exchange(note_.roots.temporary, {});
}

bool StreamPlace::is_lost() const {
    const uint64_t end = ring_.progress().file_end;
    return end > OVNI_FORMAT_STREAM_HEADER && !owner_lives(ring_.header()) &&
           size_of(path_of(events_file)) < end;
}

void StreamPlace::read_last_note() {
    if (std::optional<StreamNote> note = read_note()) note_.metadata = std::move(note->metadata);
}

void StreamPlace::remove_stray() const {
    if (stray_.empty()) return;
    remove_stream(stray_ + note_.place);
    remove_empty(stray_, note_.place);
}

// Once this is set in the ring, all files are there, and the rest may be removed.
bool StreamPlace::move_to_trace() {
    RingHeader& h = ring_.header();
    if (std::optional<StreamNote> note = read_note()) note_ = std::move(*note);
    std::string from = note_.directory(), to = directory_in_trace();
    if (from == to || is_same_file(from, to)) return true;
    if (!h.in_trace.load(std::memory_order_acquire)) {
        if (!copy_stream(from, to)) return false;
        h.in_trace.store(1, std::memory_order_release);
    }
    remove_stream(from);
    remove_empty(note_.roots.temporary, note_.place);
    return true;
}

}  // namespace ovni::writer
