#include "runtime/place.hpp"

#include "drain/stream_file.hpp"
#include "ovni.h"
#include "ring/diagnostics.hpp"
#include "ring/late_note.hpp"
#include "ring/posix_io.hpp"
#include "ring/stream_names.hpp"
#include "ring/stream_note.hpp"
#include "runtime/memory.hpp"

namespace ovni::writer {

std::string Place::chosen_by(const Facts& facts) const {
    return process_directory("", facts.loom, facts.pid) + "/thread." + std::to_string(tid_);
}

void Place::choose(const Facts& facts) {
    roots_ = facts.roots;
    path_ = chosen_by(facts);
}

// The drainer settled what was noted.
bool Place::is_known() {
    if (path_.empty() && own_.is_mapped() && own_.is_placed()) {
        roots_ = noted_.roots;
        path_ = noted_.path;
        metadata_.set_process(process().facts());
    }
    return !path_.empty();
}

// False: it is settled.
bool Place::take_for_change() {
    std::atomic<RingPlace>& place = own_.header().place;
    RingPlace now = place.load();
    return now != RingPlace::settled && place.compare_exchange_strong(now, RingPlace::changing);
}

// MPI_Init may move traces on disk, so no place is settled before it.
void Place::leave_open() {
    own_.header().place.store(noted_.is_identified ? RingPlace::noted : RingPlace::unknown,
                              std::memory_order_release);
}

void Place::settle(const Facts& facts) {
    if (!take_for_change()) return;
    take(facts);
    write_note();
    leave_settled();
}

void Place::take(const Facts& facts) {
    if (!is_known()) {
        choose(facts);
        metadata_.set_process(facts);
    }
    if (life_.owes_end()) life_.write_begin(facts);
}

void Place::settle_at_end(const Facts& facts, const StreamEnd* end, uint64_t last_clock) {
    const bool is_open = take_for_change();
    if (is_open) take(facts);
    metadata_.set_run(facts);
    metadata_.set_lost(own_.lost);
    metadata_.finish(facts, end, last_clock);
    write_note();
    if (is_open) leave_settled();
}

void Place::give_up() {
    RingHeader& header = own_.header();
    header.has_row.store(0, std::memory_order_release);
    header.state.store(RingState::done, std::memory_order_release);
    // The ring may have counted losses of other threads.
    if (uint64_t events = header.lost_elsewhere.exchange(0)) host().count_lost(events);
}

void Place::settle_at_last() {
    if (own_.is_placed() || memory_is_short()) return;
    settle(process().facts());
}

void Place::renew(const Facts& facts) {
    if (!take_for_change()) return;
    life_.write_begin(facts);
    write_note();
    leave_open();
}

// Whenever the process is killed, one of the two rings counts.
void Place::leave_small_ring() {
    const bool is_begin = own_.head() == own_.header().begin_bytes.load(std::memory_order_relaxed);
    if (!is_begin || own_.holds_nested() || memory_is_short() || !take_for_change()) return;
    RingLease small = own_.grow(tid_);
    if (!small.is_mapped()) return leave_open();
    own_.header().place.store(RingPlace::changing, std::memory_order_relaxed);
    write_note();
    small.header().has_row.store(0, std::memory_order_release);
    own_.header().state.store(RingState::open, std::memory_order_release);
    small.header().state.store(RingState::done, std::memory_order_release);
    host().give_back(std::move(small));
    leave_open();
    if (Facts facts = process().facts(); own_.header().kept > 0 && facts.identified) settle(facts);
}

void Place::open_for_program(pid_t tid) {
    take_for_change();
    tid_ = tid;
    own_.header().tid = tid;
    metadata_.set("ovni.tid", tid);
    Facts facts = process().facts();
    const bool is_there = is_known();
    if (!is_there) {
        metadata_.set_process(facts);
        if (life_.owes_end()) life_.write_begin(facts);
        choose(facts);
    }
    write_note();
    // If the process is killed from here on, the drainer ends the stream, whatever files it has.
    own_.header().at_once.store(1, std::memory_order_relaxed);
    own_.header().state.store(RingState::open, std::memory_order_release);
    if (!is_there) make_files();
    // Without "finished" it shows a crash as a crash.
    write_metadata();
    leave_settled();
}

void Place::make_files() {
    for (const std::string& root : {roots_.trace, roots_.temporary})
        if (!root.empty() && !make_directory(root + path_))
            complain(Trouble::directory, "make_file", "cannot make directory %s%s:", root.c_str(),
                     path_.c_str());
    std::string path = directory() + events_file;
    StreamFile file;
    // The drainer knows what to remove, from an earlier run, and what to keep, from before exec.
    if (!file.open(path, StreamFile::Content::keep, own_.header().form))
        complain(Trouble::open, "make_file", "cannot write %s:", path.c_str());
    file.close();
}

void Place::write_metadata() {
    if (!metadata_fit()) return;
    metadata_.set_run(process().facts());
    metadata_.set_lost(own_.lost);
    std::string path = directory() + metadata_file;
    if (!replace_file(path, metadata_.text()))
        complain(Trouble::metadata, "ovni", "cannot write %s:", path.c_str());
}

void Place::save_note() {
    if (life_.is_closed() || !own_.is_mapped()) return;
    const bool is_open = take_for_change();
    write_note();
    if (is_open) leave_open();
}

void Place::write_note() {
    if (life_.is_closed() || !metadata_fit()) return;
    Facts facts = process().facts();
    const bool is_settled = is_known();
    Metadata all = metadata_;
    StreamNote note{roots_, path_, {}};
    if (!is_settled) {
        note.roots = facts.roots;
        note.place = chosen_by(facts);
        // Without MPI the identity will not change.
        const bool is_final = facts.cpus_are_given && own_.header().has_row.load(std::memory_order_relaxed);
        noted_ = {note.roots, note.place, facts.identified || is_final};
        all.set_process(facts);
    }
    all.set_run(facts);
    all.set_lost(own_.lost);
    all.add_place_of_process(facts);
    // A process may be killed before it names a model.
    if (!all.find("ovni.require")) all.set("ovni.require.ovni", OVNI_MODEL_VERSION);
    note.metadata = all.root();
    if (life_.is_ours()) note.leave_thread_out();
    if (own_.write_note(note)) return withdraw_late_note(own_.ring());
    complain(Trouble::metadata, "ovni", "cannot write %s:", host().note_path(own_.lease()).c_str());
    leave_late_note(own_.ring(), all.root());
}

}  // namespace ovni::writer
