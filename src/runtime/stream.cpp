// How events get into the ring of a stream.
#include "runtime/stream.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "ovni.h"
#include "ring/diagnostics.hpp"
#include "runtime/memory.hpp"

namespace ovni::writer {
namespace {

// For what holds a stream together, while nobody drains; fewer events than there is room for notes.
constexpr uint64_t reserve = 4096;

}  // namespace

Stream::Stream(pid_t tid, Owner owner, const sigset_t& usual_signals)
    : ours_(owner == Owner::ours),
      born_ours_(ours_),
      life_(ours_ ? Life::running : Life::unborn),
      stack_(own_stack()),
      usual_signals_(usual_signals),
      tid_(tid),
      metadata_(tid) {
    void* page = mmap(nullptr, sizeof(WipedPage), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
        complain(Trouble::memory, "ovni", "no memory for thread %d:", tid);
        return;
    }
    madvise(page, sizeof(WipedPage), MADV_WIPEONFORK);
    window_ = &static_cast<WipedPage*>(page)->window;
    states_ = &static_cast<WipedPage*>(page)->states;
    static_cast<WipedPage*>(page)->owner = this;
    shown_ = gate().join(seen_);
    wanted_ = shown();
    set_gate(gate_shut);
    if (get_ring() && ours_) open_ours();
    show_running();
}

Stream::~Stream() {
    if (producer_) producer_->close();
    if (window_) munmap(window_, sizeof(WipedPage));
    if (ring_.is_mapped()) host().give_back(std::move(ring_));
}

Stream* Stream::of(ovni_private_window* window) {
    return reinterpret_cast<WipedPage*>(window)->owner;
}

bool Stream::get_ring() {
    ring_ = host().open_ring(tid_, process().facts().roots.trace);
    if (!ring_.is_mapped()) {
        complain(Trouble::memory, "ovni", "no memory for the events of thread %d, they are lost:", tid_);
        return false;
    }
    window_->head = 0;
    window_->busy = 0;
    window_->clock = host().clock();
    window_->published = reinterpret_cast<uint64_t*>(&header().published);
    share();
    refresh_limit();
    return true;
}

bool Stream::holds_events() const {
    return ring_.is_mapped() && holds_events(head());
}

bool Stream::holds_events(uint64_t position) const {
    bool at_begin = position <= header().begin_bytes.load(std::memory_order_relaxed);
    return !at_begin || lost_ > 0 || has_gap_ || header().continues.load(std::memory_order_relaxed);
}

bool Stream::has_room(uint64_t bytes) const {
    uint64_t drained = header().drained.load(std::memory_order_acquire);
    return head() + bytes + slack <= drained + ring_.ring.capacity();
}

// Up to where events may be stored without coming here: a full ring, its end, and where it becomes half full,
// which the drainer has to know.
void Stream::refresh_limit() {
    if (producer_) return set_limit(0);
    uint64_t capacity = ring_.ring.capacity(), drained = header().drained.load(std::memory_order_acquire);
    uint64_t half = drained + header().kept + (capacity - header().kept) / 2;
    uint64_t limit = std::min(drained + capacity - slack - reserve, (head() / capacity + 1) * capacity);
    window_->data = reinterpret_cast<uint8_t*>(reinterpret_cast<uintptr_t>(ring_.ring.at(head())) - head());
    if (head() < half)
        limit = std::min(limit, half);
    else
        host().wake();
    // What was lost has to be told before anything else is stored.
    set_limit(discarded_.events > 0 || postponed_ ? 0 : limit);
}

void Stream::store(const void* bytes, size_t size) {
    ring_.ring.put(head(), bytes, size);
    window_->head += size;
}

void Stream::publish() {
    header().published.store(window_->head, std::memory_order_release);
}

// What it takes to place a stream needs memory, which a handler of a signal cannot get; most are placed.
void Stream::place_at_last() {
    if (header().placed.load(std::memory_order_relaxed) || memory_is_short()) return;
    place(process().facts());
}

bool Stream::make_room(uint64_t bytes, bool may_be_lost) {
    if (bytes + slack > ring_.ring.capacity()) return false;
    if (has_room(bytes)) return true;
    place_at_last();
    // What a flight recorder keeps must make room for a large definition.
    if (bytes + slack > ring_.ring.capacity() - header().kept) ask_for(header(), head());
    if (may_be_lost || monotonic_clock() < next_attempt_) return has_room(bytes);
    if (wait_for_room(bytes)) return true;
    next_attempt_ = monotonic_clock() + between_attempts;
    return false;
}

// However long that takes, as on a file system that hangs, while there is a drainer, and nobody wants to end
// the program. One that is killed lets
// go of the run directory a moment later; and what a drainer passes by again and again it cannot write.
bool Stream::wait_for_room(uint64_t bytes) {
    uint64_t drained = header().drained.load(std::memory_order_acquire), pass = host().last_pass();
    for (int passes = 0; !has_room(bytes);) {
        if (end_is_wanted()) return false;
        host().wait_until_drained(ring_, drained);
        uint64_t now = header().drained.load(std::memory_order_acquire), latest = host().last_pass();
        if (now > drained)
            passes = 0;
        else if ((latest != pass || !host().is_served()) && ++passes == most_waits)
            return has_room(bytes);
        drained = now;
        pass = latest;
    }
    return true;
}

void Stream::emit(const void* event, size_t size, const void* data, size_t data_size) {
    SlowPath slow;
    Lock lock(mutex_);
    nested_depth_ = 0;
    if (is_closed()) return;
    if (ends_.load(std::memory_order_acquire)) return wait_for_end();
    append_flush_pair();
    settle_postponed();
    Event raised;
    if (begins_region(event)) in_region_ = true;
    if (!in_region_) event = raise(event, size, raised);
    if (ends_region(event)) in_region_ = false;
    if (is_life_cycle(event)) follow_life_cycle(static_cast<const uint8_t*>(event));
    append(event, size, data, data_size);
    if (!ring_.is_mapped()) return;
    if (begins_life(event) && shown() == Recording::off)
        begin_gap(ovni_format_clock(static_cast<const uint8_t*>(event)), gate().reason());
    // It cannot stay in memory any longer.
    if (!has_room((ring_.ring.capacity() - header().kept) / 2)) place_at_last();
    refresh_limit();
}

// A handler came between the clock of an event and its emission, or the program took the clock of its
// beginning before ours of the last event: the older one gives way. Far older ones are the program's mistake.
const void* Stream::raise(const void* event, size_t size, Event& raised) {
    uint64_t clock = ovni_format_clock(static_cast<const uint8_t*>(event)),
             last = window_ ? window_->last : 0;
    bool close = our_life_ || last - clock <= longest_raise;
    if (clock >= last || size > sizeof raised.bytes || !close) return event;
    std::memcpy(raised.bytes, event, size);
    std::memcpy(raised.bytes + OVNI_FORMAT_CLOCK_AT, &last, sizeof last);
    if (ring_.is_mapped()) header().raised.fetch_add(1, std::memory_order_relaxed);
    return raised.bytes;
}

void Stream::append(const void* event, size_t size, const void* data, size_t data_size) {
    if (producer_) return append_shared(event, size, data, data_size);
    uint64_t clock = ovni_format_clock(static_cast<const uint8_t*>(event));
    bool needed = is_needed(event) || is_showing_,
         may_be_lost = host().settings().on_full == OnFull::discard && !needed;
    uint64_t room = size + data_size + (needed ? 0 : reserve);
    bool fits = ring_.is_mapped() && make_room(room, may_be_lost) && settle_discarded();
    if (!fits) return discard(event);
    store(event, size);
    if (data_size > 0) store(data, data_size);
    if (!in_region_) window_->last = std::max(window_->last, clock);
    publish();
}

void Stream::discard(const void* event) {
    if (!ring_.is_mapped()) return host().count_lost(1);
    uint64_t clock = ovni_format_clock(static_cast<const uint8_t*>(event));
    ++lost_;
    if (discarded_.events++ == 0) discarded_.from = clock;
    discarded_.to = clock;
}

// What was lost stands before the next event that is not. False where that cannot be told yet.
bool Stream::settle_discarded() {
    if (discarded_.events == 0) return true;
    const char* reason = host().settings().on_full == OnFull::discard ? "discarded" : "memory";
    if (!add_note({0, discarded_.from, discarded_.to, discarded_.events, reason}, head())) return false;
    discarded_ = {};
    return true;
}

void Stream::settle_postponed() {
    if (postponed_ && ring_.is_mapped() && add_note(*postponed_, head())) postponed_.reset();
}

bool Stream::add_note(const Gap& gap, uint64_t position) {
    if (producer_) return put_note(gap);
    RingHeader& h = header();
    uint32_t added = h.notes_added.load(std::memory_order_relaxed);
    if (added - h.notes_taken.load(std::memory_order_acquire) == RingHeader::most_notes) return false;
    RingNote& note = h.notes[added % RingHeader::most_notes];
    note = {position, gap.from, gap.to, gap.lost, {}};
    memcpy(note.reason, gap.reason.data(), std::min(gap.reason.size(), sizeof note.reason));
    h.notes_added.store(added + 1, std::memory_order_release);
    return true;
}

void Stream::note_gap(const Gap& gap, Amid amid) {
    SlowPath slow;
    Lock lock(mutex_);
    if (is_closed() || !ring_.is_mapped()) return;
    if (amid == Amid::an_emission) {
        if (postponed_)
            postponed_->to = gap.to, postponed_->lost += gap.lost;
        else
            postponed_ = gap;
        return set_limit(0);
    }
    append_flush_pair();
    add_note_patiently(gap, 1);
}

bool Stream::has_room_for_notes(uint32_t notes) const {
    uint32_t there = header().notes_added.load(std::memory_order_relaxed) -
                     header().notes_taken.load(std::memory_order_acquire);
    return producer_ || there + notes <= RingHeader::most_notes;
}

// The drainer has no reason to look at a stream without events, and what a flight recorder keeps stays.
bool Stream::may_notes_be_taken() const {
    return header().kept == 0 && head() > header().begin_bytes.load(std::memory_order_relaxed);
}

bool Stream::add_note_patiently(const Gap& gap, uint32_t notes) {
    settle_postponed();
    settle_discarded();
    bool waits = may_notes_be_taken() && monotonic_clock() >= next_note_attempt_;
    for (int i = 0; waits && i < most_waits && !has_room_for_notes(notes) && !end_is_wanted(); ++i) {
        uint32_t seen = header().drained_blocks.load(std::memory_order_seq_cst);
        place_at_last();
        host().wait_for_drainer(ring_, seen);
    }
    if (has_room_for_notes(notes)) return add_note(gap, head());
    if (waits) next_note_attempt_ = monotonic_clock() + between_attempts;
    return false;
}

void Stream::append_flush_pair() {
    if (!flush_pair_due_) return;
    flush_pair_due_ = false;
    for (const Event& event : {make_event("OF[", flush_begin_), make_event("OF]", flush_end_)})
        append(event.bytes, event.size);
    refresh_limit();
}

void Stream::flush(Amid amid) {
    SlowPath slow;
    Lock lock(mutex_);
    if (is_closed() || !ring_.is_mapped()) return;
    if (amid == Amid::nothing) append_flush_pair();
    uint64_t begin = std::max(clock_now(), window_->last);
    if (producer_) host().wait_until_moved();
    wait_until_drained(header().published.load(std::memory_order_acquire));
    if (amid == Amid::an_emission) {
        for (const Event& event : {make_event("OF[", begin), make_event("OF]", clock_now())})
            emit_nested(event.bytes, event.size);
        return;
    }
    if (shown() == Recording::off) return;
    flush_begin_ = begin;
    flush_end_ = clock_now();
    flush_pair_due_ = true;
    set_limit(0);
}

// A flight recorder writes what somebody asks for.
void Stream::wait_until_drained(uint64_t position) {
    ask_for(header(), position);
    for (int waits = 0; waits < most_waits; ++waits) {
        uint64_t drained = header().drained.load(std::memory_order_acquire);
        if (drained >= position) return;
        host().wait_until_drained(ring_, drained);
        if (header().drained.load(std::memory_order_acquire) > drained) waits = 0;
    }
}

void Stream::ask_for_published() {
    SlowPath slow;
    Lock lock(mutex_);
    if (is_closed() || !ring_.is_mapped()) return;
    // By any thread: where the stream's own stands is told by that alone.
    if (!holds_events(header().published.load(std::memory_order_acquire))) return;
    place_at_last();
    asked_ = header().published.load(std::memory_order_acquire);
    ask_for(header(), asked_);
}

uint64_t Stream::asked_and_not_written() {
    SlowPath slow;
    Lock lock(mutex_);
    if (is_closed() || !ring_.is_mapped()) return 0;
    return asked_ - std::min(asked_, header().drained.load(std::memory_order_acquire));
}

}  // namespace ovni::writer
