// How a stream opens, follows the life cycle of its thread, and ends.
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <ctime>

#include "ovni.h"
#include "runtime/memory.hpp"
#include "runtime/stream.hpp"

namespace ovni::writer {

bool Stream::holds_events(uint64_t position) const {
    const RingHeader& header = own_.header();
    bool at_begin = position <= header.begin_bytes.load(std::memory_order_relaxed);
    return !at_begin || own_.lost > 0 || recording_.has_gap() ||
           header.continues.load(std::memory_order_relaxed);
}

void Stream::open_ours(uint64_t since) {
    place_.metadata().set("ovni.require.ovni", OVNI_MODEL_VERSION);
    Facts facts = process().facts();
    if (since != 0) since = event_clock(since, own_.header().time_offset);
    life_.begin(facts, since, has_row() ? ThreadLife::Shares::maybe : ThreadLife::Shares::no);
    if (life_.is_sampled()) place_.metadata().set("ovni.cpu", "sampled");
    own_.header().opened_at.store(life_.beginning(), std::memory_order_relaxed);
    own_.header().has_row.store(has_row() ? 1 : 0, std::memory_order_relaxed);
    place_.save_note();
    own_.publish();
    if (own_.header().kept > 0 && facts.identified) place_.settle(facts);
    if (recording_.shown() == Recording::off) recording_.begin_gap(life_.beginning(), gate().reason());
    own_.header().state.store(RingState::open, std::memory_order_release);
    writer_.refresh_limit();
}

bool Stream::is_shown_by_us() const {
    return has_row() || (is_ours() && process().is_known_by_environment());
}

void Stream::set_phase(ThreadLife::Phase phase) {
    life_.set_phase(phase);
    recording_.show_running();
}

void Stream::set_closed(bool closed) {
    life_.set_closed(closed);
    recording_.show_running();
}

// No other thread exists in the child that could hold the parent's lock.
void Stream::inherit(const Stream& parent) {
    with_metadata([&](Metadata& metadata) { metadata.inherit(parent.place_.metadata()); });
}

void Stream::follow_life_cycle(const uint8_t* event) {
    using enum ThreadLife::Phase;
    switch (event[OVNI_FORMAT_CODE_AT + 2]) {
        case 'x':
            if (life_.owes_end() && !holds_events()) drop_our_life();
            if (life_.owes_end()) end_our_life(ovni_format_clock(event));
            if (own_.is_mapped()) own_.header().lives.store(1, std::memory_order_relaxed);
            life_.leave_to_program();
            set_phase(running);
            break;
        case 'r':
            set_phase(running);
            break;
        case 'p':
        case 'c':
        case 'w':
            set_phase(paused);
            break;
        case 'e':
            // The program ends a life that the library began: the library's OHe is not needed.
            if (life_.owes_end()) life_.set_owes_end(false);
            if (own_.is_mapped()) own_.header().lives.store(0, std::memory_order_relaxed);
            set_phase(dead);
            break;
        default:
            break;
    }
}

// The drainer has not touched a stream that is no more than its beginning.
void Stream::drop_our_life() {
    if (is_shared()) wait_until_moved();  // notes
    life_.set_owes_end(false);
    row_ = Row::none;
    place_.metadata().erase_own("cpu");
    own_.header().has_row.store(0, std::memory_order_relaxed);
    own_.set_limit(0);
    own_.set_head(0);
    own_.publish();
    own_.header().begin_bytes.store(0, std::memory_order_release);
    for (RingNote& note : own_.header().notes) note.position = 0;
    writer_.refresh_limit();
}

// Events of MPI stay in the stream, and with them the row.
void Stream::withdraw_row() {
    SlowPath slow;
    Lock lock(mutex_);
    if (!has_row() || !own_.is_mapped() || !life_.owes_end() || holds_events()) return;
    row_ = Row::none;
    own_.header().has_row.store(0, std::memory_order_release);
}

void Stream::end_our_life(uint64_t clock) {
    life_.set_owes_end(false);
    Event end = make_event("OHe", clock);
    writer_.append(end.bytes, end.size);
}

void Stream::open_for_program(pid_t tid) {
    SlowPath slow;
    Lock lock(mutex_);
    if (!own_.is_mapped()) return;
    if (own_.is_small()) place_.leave_small_ring();
    if (life_.owes_end() && !holds_events()) {
        drop_our_life();
        set_phase(ThreadLife::Phase::unborn);
    }
    if (is_closed()) {
        bool goes_on = own_.is_placed();
        place_.metadata().reopen();
        if (goes_on) place_.leave_temporary();
        own_.give_back();
        bool has_ring = get_ring(Host::Size::full);
        set_closed(false);
        if (!has_ring) return;
        own_.header().continues.store(goes_on ? 1 : 0, std::memory_order_relaxed);
    }
    life_.leave_to_program();
    place_.open_for_program(tid);
}

// As long as nothing is on disk, the program may still change it. What a flight recorder keeps may be asked
// for at any time, even while its thread hangs, so its stream is placed.
void Stream::follow_identity() {
    SlowPath slow;
    Lock lock(mutex_);
    if (!life_.owes_end() || is_closed() || !own_.is_mapped()) return;
    Facts facts = process().facts();
    if (own_.header().kept > 0 && facts.identified)
        place_.settle(facts);
    else
        place_.renew(facts);
}

void Stream::close(const StreamEnd* end) {
    SlowPath slow;
    Lock lock(mutex_);
    if (!is_closed()) close_locked(end);
}

void Stream::close_ours(const StreamEnd* end) {
    SlowPath slow;
    Lock lock(mutex_);
    if (!is_ours() || is_closed()) return;
    if (is_held()) return close_locked(nullptr);
    if (!end) place_.metadata().set("ovni.goes_on", 1);
    close_locked(end);
}

// The owning thread may be emitting at this moment. What it publishes before it sees the limit is drained,
// too, and what is to follow is left to the drainer.
void Stream::close_locked(const StreamEnd* end) {
    writer_.forget_flush();
    if (!own_.is_mapped()) return set_closed(true);
    own_.set_limit(0);
    if (!is_held()) recording_.note_changes_at_end();
    if (is_shared()) shared_.end();
    Facts facts = process().facts();
    uint64_t last = __atomic_load_n(&own_.window()->last, __ATOMIC_RELAXED);
    if (!life_.owes_end() || is_worth_writing()) {
        writer_.settle_postponed();
        writer_.settle_discarded();
        if (life_.was_born_ours() && place_.is_known()) place_.metadata().set_process(facts);
        if (life_.owes_end())
            own_.header().end_clock.store(last = std::max(end_clock(), last), std::memory_order_relaxed);
        place_.settle_at_end(facts, end, last);
        life_.leave_end_to_drainer();
    }
    set_closed(true);
    own_.header().state.store(RingState::closed, std::memory_order_release);
    host().wake();
}

void Stream::hold() {
    SlowPath slow;
    Lock lock(mutex_);
    recording_.note_changes_at_end();
    const uint64_t now = clock_now();
    writer_.settle_postponed();
    if (own_.is_mapped()) {
        own_.header().end_clock.store(now, std::memory_order_relaxed);
        own_.header().exit_in_order.store(ExitInOrder::before, std::memory_order_relaxed);
    }
    held_since_.store(now, std::memory_order_relaxed);
}

// The main thread's row is that of its process.
bool Stream::may_show_others() const {
    return row_ == Row::always && is_ours() && own_.is_small() && is_mere_row() && !own_.holds_nested() &&
           own_.header().notes_added == 0 && place_.tid() != getpid();
}

bool Stream::looks_like(const Stream& other) const {
    return strncmp(own_.header().name, other.own_.header().name, sizeof(RingHeader::name)) == 0 &&
           place_.metadata().has_equal_thread_metadata(other.place_.metadata());
}

// MPI_Init may still give the CPUs other numbers, so a full row is left as it is until then.
bool Stream::make_room_for_another() {
    if (!own_.has_room(own_.ring().capacity() / 2) && !process().may_be_identified()) {
        place_.settle_at_last();
        host().wake();
    }
    return own_.has_room(own_.is_placed() ? 2 * size_t{OVNI_FORMAT_EVENT_MAX} : own_.ring().capacity() / 2);
}

// A kill between the steps shows the thread twice, and never hides it.
bool Stream::take_in(Stream& other) {
    if (other.life_.beginning() < held_since()) return false;
    SlowPath slow;
    Lock lock(mutex_);
    Lock lock_of_other(other.mutex_);
    auto is_waiting = [](const Stream& stream) {
        return !stream.is_closed() && stream.may_show_others() && stream.life_.owes_end();
    };
    if (!is_waiting(*this) || !is_waiting(other) || !looks_like(other) || !make_room_for_another() ||
        !other.place_.prevent_writing())
        return false;
    const uint64_t ended = std::max(end_clock(), own_.window()->last);
    const uint64_t begun = std::max(other.life_.beginning(), ended);
    life_.begin_next(process().facts(), ended, other.life_, begun);
    own_.follow_clock(begun);
    own_.publish();
    held_since_.store(std::max(other.end_clock(), begun), std::memory_order_relaxed);
    own_.header().end_clock.store(end_clock(), std::memory_order_relaxed);
    other.place_.give_up();
    return true;
}

uint64_t Stream::end_clock() const {
    return is_held() ? held_since() : clock_now();
}

void Stream::set_name(const char* name) {
    SlowPath slow;
    Lock lock(mutex_);
    if (is_closed() || !own_.is_mapped()) return;
    char(&kept)[sizeof(RingHeader::name)] = own_.header().name;
    const size_t length = strnlen(name, sizeof kept - 1);
    memcpy(kept, name, length);
    memset(kept + length, 0, sizeof kept - length);
}

// The next program has no ring if it records nothing, so what is to be known of the end is noted before. It
// may number the CPUs of the loom in its own way, so a begin that is still here has none.
void Stream::expect_exec(bool is_coming) {
    SlowPath slow;
    Lock lock(mutex_);
    if (is_closed() || !own_.is_mapped() || !life_.owes_end()) return;
    RingHeader& header = own_.header();
    if (header.place.load(std::memory_order_relaxed) == RingPlace::noted) {
        Facts facts = process().facts();
        if (is_coming && !facts.identified) facts.cpus.clear();
        place_.renew(facts);
    }
    if (row_ == Row::unless_exec) header.has_row.store(is_coming ? 0 : 1, std::memory_order_release);
    header.end_clock.store(is_coming ? clock_now() : 0, std::memory_order_relaxed);
    header.end.store(is_coming ? RingEnd::exec : RingEnd::in_order, std::memory_order_release);
}

// Losses that are not noted yet are noted here; all else the drainer knows. A drainer of this process ends
// the stream right after this.
bool Stream::end_with_process(int code) {
    SlowPath slow;
    if (!mutex_.lock_soon()) return false;
    if (!is_closed()) end_with_process_locked(code);
    mutex_.unlock();
    return true;
}

void Stream::end_with_process_locked(int code) {
    if (!own_.is_mapped()) return set_closed(true);
    if (!is_held()) recording_.note_changes_at_end();
    if (is_shared()) shared_.take_lost();
    writer_.settle_postponed();
    if (!is_shared()) writer_.settle_discarded();
    if (!memory_is_short()) {
        if (!life_.owes_end() || is_worth_writing()) place_.settle_at_last();
        place_.save_note();
    }
    report_exit(code);
}

void Stream::report_exit(int code) noexcept {
    if (is_closed() || !own_.is_mapped()) return;
    if (host().drains_itself()) {
        exiting_thread_ = static_cast<pid_t>(syscall(SYS_gettid));
        ends_.store(true, std::memory_order_release);
        own_.set_limit(0);
    }
    RingHeader& header = own_.header();
    header.end_code.store(code, std::memory_order_relaxed);
    const bool is_amid = place_.tid() != static_cast<pid_t>(syscall(SYS_gettid));
    if (!is_held() && is_shown_by_us() && !process().is_in_mpi())
        header.exit_in_order.store(is_amid ? ExitInOrder::amid : ExitInOrder::at_end,
                                   std::memory_order_relaxed);
    if (header.life_is_ours.load(std::memory_order_relaxed))
        header.end_clock.store(end_clock(), std::memory_order_relaxed);
    header.end.store(RingEnd::exit, std::memory_order_release);
}

// An exit that does not come may not hold up the thread for ever, and the exiting thread not at all.
void Stream::wait_for_end() {
    constexpr timespec moment{0, 20'000'000};
    int most = syscall(SYS_gettid) == exiting_thread_ ? 0 : most_waits;
    for (int waits = 0; waits < most && !end_is_wanted(); ++waits) nanosleep(&moment, nullptr);
    set_closed(true);
}

// If ovnirun drains, the process need not wait for it.
void Stream::wait_until_written() {
    SlowPath slow;
    if (!is_closed() || !own_.is_mapped() || !host().drains_itself()) return;
    RingHeader& header = own_.header();
    for (int waits = 0; waits < most_waits; ++waits) {
        uint32_t seen = header.drained_blocks.load(std::memory_order_seq_cst);
        if (header.state.load(std::memory_order_acquire) != RingState::closed) return;
        host().wait_for_drainer(own_.lease(), seen);
    }
}

}  // namespace ovni::writer
