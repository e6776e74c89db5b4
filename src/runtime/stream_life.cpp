// The life cycle of a stream: who owns it, where its thread is by its OH events, how it is opened and closed.
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "drain/stream_file.hpp"
#include "ovni.h"
#include "ring/diagnostics.hpp"
#include "ring/posix_io.hpp"
#include "ring/stream_names.hpp"
#include "ring/stream_note.hpp"
#include "runtime/memory.hpp"
#include "runtime/stream.hpp"

namespace ovni::writer {

void Stream::open_ours() {
    metadata_.set("ovni.require.ovni", OVNI_MODEL_VERSION);
    opening_clock_ = clock_now();
    std::vector<int> cpus = affinity_of_this_thread();
    if (cpus.size() == 1) phyid_ = opening_phyid_ = cpus[0];
    Facts facts = process().facts();
    write_our_begin(facts);
    window_->head = our_begin_bytes;
    window_->last = opening_clock_;
    header().begin_bytes.store(our_begin_bytes, std::memory_order_relaxed);
    set_our_life(true);
    save_note();
    publish();
    if (header().kept > 0 && facts.identified) place(facts);
    if (shown() == Recording::off) begin_gap(opening_clock_, gate().reason());
    header().state.store(RingState::open, std::memory_order_release);
    refresh_limit();
}

void Stream::set_life(Life life) {
    life_ = life;
    show_running();
}

void Stream::set_closed(bool closed) {
    closed_.store(closed, std::memory_order_release);
    show_running();
}

void Stream::show_running() {
    uint32_t running = is_recorded() && process().state() != ProcessState::gone;
    if (window_) __atomic_store_n(&window_->running, running, __ATOMIC_RELAXED);
}

// Nobody else is there who could hold the parent's lock.
void Stream::inherit(const Stream& parent) {
    with_metadata([&](Metadata& metadata) { metadata.inherit(parent.metadata_); });
}

void Stream::set_our_life(bool is_ours) {
    our_life_ = is_ours;
    header().life_is_ours.store(is_ours ? 1 : 0, std::memory_order_release);
}

void Stream::follow_life_cycle(const uint8_t* event) {
    switch (event[OVNI_FORMAT_CODE_AT + 2]) {
        case 'x':
            if (our_life_ && !holds_events()) drop_our_life();
            if (our_life_) end_our_life(ovni_format_clock(event));
            if (ring_.is_mapped()) header().lives.store(1, std::memory_order_relaxed);
            ours_ = false;
            set_life(Life::running);
            break;
        case 'r':
            set_life(Life::running);
            break;
        case 'p':
        case 'c':
        case 'w':
            set_life(Life::paused);
            break;
        case 'e':
            // A program that ends a life which we began has said what there is to say.
            if (our_life_) set_our_life(false);
            if (ring_.is_mapped()) header().lives.store(0, std::memory_order_relaxed);
            set_life(Life::dead);
            break;
        default:
            break;
    }
}

// The drainer has not touched what is no more than the beginning.
void Stream::drop_our_life() {
    if (producer_) host().wait_until_moved();  // notes
    set_our_life(false);
    window_->head = 0;
    publish();
    header().begin_bytes.store(0, std::memory_order_release);
    for (RingNote& note : header().notes) note.position = 0;
    refresh_limit();
}

void Stream::write_our_begin(const Facts& facts) {
    int index = facts.index_of(opening_phyid_);
    if (index < 0 && phyid_ == opening_phyid_) phyid_ = -1;
    Event begin = make_event("OHx", opening_clock_, index, -1, uint64_t{0});
    std::copy_n(begin.bytes, begin.size, ring_.ring.data());
}

void Stream::end_our_life(uint64_t clock) {
    set_our_life(false);
    Event end = make_event("OHe", clock);
    append(end.bytes, end.size);
}

void Stream::move_to_cpu(int phyid, Amid amid) {
    if (phyid == phyid_) return;
    SlowPath slow;
    Lock lock(mutex_);
    if (is_closed() || !our_life_) return;
    Facts facts = process().facts();
    int index = facts.cpus_are_told ? facts.index_of(phyid) : -1;
    if (index < 0) return;
    phyid_ = phyid;
    Event moved = make_event("OAs", std::max(clock_now(), window_->last), index);
    if (amid == Amid::an_emission) return emit_nested(moved.bytes, moved.size);
    append_flush_pair();
    settle_postponed();
    append(moved.bytes, moved.size);
    refresh_limit();
}

void Stream::open_for_program(pid_t tid) {
    SlowPath slow;
    Lock lock(mutex_);
    if (!ring_.is_mapped()) return;
    if (our_life_ && !holds_events()) {
        drop_our_life();
        set_life(Life::unborn);
    }
    bool goes_on = false;
    if (is_closed()) {
        goes_on = header().placed.load(std::memory_order_relaxed) != 0;
        metadata_.reopen();
        // Where the stream was moved to when it ended.
        if (goes_on) roots_.temporary.clear();
        host().give_back(std::move(ring_));
        bool has_ring = get_ring();
        set_closed(false);
        if (!has_ring) return;
        header().continues.store(goes_on ? 1 : 0, std::memory_order_relaxed);
    }
    ours_ = false;
    tid_ = tid;
    header().tid = tid;
    metadata_.set("ovni.tid", tid);
    Facts facts = process().facts();
    if (place_.empty()) {
        metadata_.set_process(facts);
        if (our_life_) write_our_begin(facts);
        make_file(facts);
    } else {
        save_note();
        write_metadata_locked();
    }
    header().at_once.store(1, std::memory_order_relaxed);
    header().placed.store(1, std::memory_order_release);
    place_at_ = UINT64_MAX;
    header().state.store(RingState::open, std::memory_order_release);
}

// Where the stream goes is settled, and with it who its process is.
void Stream::place(const Facts& facts) {
    if (header().placed.load(std::memory_order_relaxed)) return;
    if (place_.empty()) {
        roots_ = facts.roots;
        place_ = process_directory("", facts.loom, facts.pid) + "/thread." + std::to_string(tid_);
        metadata_.set_process(facts);
    }
    if (our_life_) write_our_begin(facts);
    save_note();
    header().placed.store(1, std::memory_order_release);
    place_at_ = UINT64_MAX;
}

// The program may still say something else, as long as nothing is on disk. What a flight recorder keeps may
// be asked for at any time, while its thread hangs.
void Stream::follow_identity() {
    SlowPath slow;
    Lock lock(mutex_);
    if (!our_life_ || is_closed() || header().placed.load(std::memory_order_relaxed)) return;
    if (header().kept > 0) return place(process().facts());
    write_our_begin(process().facts());
    save_note();
}

// Also leaves a stream.json without "finished", so that a crash is seen as one.
void Stream::make_file(const Facts& facts) {
    roots_ = facts.roots;
    place_ = process_directory("", facts.loom, facts.pid) + "/thread." + std::to_string(tid_);
    for (const std::string& root : {roots_.trace, roots_.temporary})
        if (!root.empty() && !make_directory(root + place_))
            complain(Trouble::directory, "make_file", "cannot make directory %s%s:", root.c_str(),
                     place_.c_str());
    std::string path = directory() + events_file;
    StreamFile file;
    // What an earlier run left there goes, and what this thread recorded before exec stays: the drainer
    // knows.
    if (!file.open(path, StreamFile::Content::keep))
        complain(Trouble::open, "make_file", "cannot write %s:", path.c_str());
    file.close();
    save_note();
    write_metadata_locked();
}

void Stream::write_metadata_locked() {
    if (!metadata_fit()) return;
    metadata_.set_run(process().facts().run);
    metadata_.set_lost(lost_);
    std::string path = directory() + metadata_file;
    if (!replace_file(path, metadata_.text()))
        complain(Trouble::metadata, "ovni", "cannot write %s:", path.c_str());
}

void Stream::write_metadata() {
    SlowPath slow;
    Lock lock(mutex_);
    if (!is_closed() && !place_.empty()) write_metadata_locked();
}

// What the drainer writes where the process does not live to say more.
void Stream::save_note() {
    if (is_closed() || !ring_.is_mapped() || !metadata_fit()) return;
    Facts facts = process().facts();
    Metadata all = metadata_;
    StreamNote note{roots_, place_, {}};
    if (place_.empty()) {
        note.roots = facts.roots;
        note.place = process_directory("", facts.loom, facts.pid) + "/thread." + std::to_string(tid_);
        all.set_process(facts);
    }
    all.set_run(facts.run);
    all.set_lost(lost_);
    all.add_place_of_process(facts);
    // Killed before it could say more, it is a stream of the ovni model still.
    if (!all.find("ovni.require")) all.set("ovni.require.ovni", OVNI_MODEL_VERSION);
    note.metadata = all.root();
    if (!note.write(host().note_path(ring_)))
        complain(Trouble::metadata, "ovni", "cannot write %s:", host().note_path(ring_).c_str());
}

void Stream::close(const StreamEnd* end) {
    SlowPath slow;
    Lock lock(mutex_);
    if (!is_closed()) close_locked(end);
}

void Stream::close_ours(const StreamEnd* end) {
    SlowPath slow;
    Lock lock(mutex_);
    if (ours_ && !is_closed()) close_locked(end);
}

// What is not told of the stream's losses is told now; all else the drainer knows. Where it is of this
// process it ends the stream right after this.
bool Stream::end_with_process(int code) {
    SlowPath slow;
    if (!mutex_.lock_soon()) return false;
    if (!is_closed()) end_with_process_locked(code);
    mutex_.unlock();
    return true;
}

void Stream::end_with_process_locked(int code) {
    if (!ring_.is_mapped()) return set_closed(true);
    note_changes_at_end();
    if (producer_) header().lost_unmarked.store(producer_->take_lost(), std::memory_order_relaxed);
    settle_postponed();
    if (!producer_) settle_discarded();
    if (!memory_is_short()) {
        if (!our_life_ || holds_events()) place_at_last();
        save_note();
    }
    tell_exit(code);
}

// An exit that does not come may not hold up the thread for ever, and that of this thread not at all.
void Stream::wait_for_end() {
    constexpr timespec moment{0, 20'000'000};
    int most = syscall(SYS_gettid) == exiting_thread_ ? 0 : most_waits;
    for (int waits = 0; waits < most && !end_is_wanted(); ++waits) nanosleep(&moment, nullptr);
    set_closed(true);
}

void Stream::tell_exit(int code) noexcept {
    if (is_closed() || !ring_.is_mapped()) return;
    if (host().drains_itself()) {
        exiting_thread_ = static_cast<pid_t>(syscall(SYS_gettid));
        ends_.store(true, std::memory_order_release);
        set_limit(0);
    }
    RingHeader& h = header();
    h.end_code.store(code, std::memory_order_relaxed);
    if (h.life_is_ours.load(std::memory_order_relaxed))
        h.end_clock.store(clock_now(), std::memory_order_relaxed);
    h.end.store(RingEnd::exit, std::memory_order_release);
}

// Where ovnirun drains, the process need not wait for it.
void Stream::wait_until_written() {
    SlowPath slow;
    if (!is_closed() || !ring_.is_mapped() || !host().drains_itself()) return;
    RingHeader& h = header();
    for (int waits = 0; waits < most_waits; ++waits) {
        uint32_t seen = h.drained_blocks.load(std::memory_order_seq_cst);
        if (h.state.load(std::memory_order_acquire) != RingState::closed) return;
        host().wait_for_drainer(ring_, seen);
    }
}

// The owner may be emitting at this moment: what it publishes before it sees the limit is drained, too, and
// what is to follow is left to the drainer.
void Stream::close_locked(const StreamEnd* end) {
    flush_pair_due_ = false;
    if (!ring_.is_mapped()) return set_closed(true);
    set_limit(0);
    note_changes_at_end();
    if (producer_) end_shared();
    Facts facts = process().facts();
    uint64_t last = __atomic_load_n(&window_->last, __ATOMIC_RELAXED);
    if (!our_life_ || holds_events()) {
        settle_postponed();
        settle_discarded();
        if (born_ours_ && !place_.empty()) metadata_.set_process(facts);
        place(facts);
        if (our_life_)
            header().end_clock.store(last = std::max(clock_now(), last), std::memory_order_relaxed);
        our_life_ = false;
        metadata_.set_run(facts.run);
        metadata_.set_lost(lost_);
        metadata_.finish(facts, end, last);
        save_note();
    }
    set_closed(true);
    header().state.store(RingState::closed, std::memory_order_release);
    host().wake();
}

}  // namespace ovni::writer
