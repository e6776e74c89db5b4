// The actions of a thread on its stream: emission on the slow path, and items between events.
#include "runtime/stream.hpp"

#include <algorithm>
#include <cstring>

#include "runtime/memory.hpp"

namespace ovni::writer {

Stream::Stream(pid_t tid, Owner owner, const sigset_t& usual_signals, Row row, uint64_t since)
    : own_(this, tid),
      life_(own_, owner),
      place_(tid, own_, life_),
      shared_(own_),
      writer_(own_, place_, shared_),
      nested_(own_, usual_signals),
      recording_(*this, mutex_, own_, life_, writer_),
      row_(row) {
    if (!own_.window()) return;
    recording_.join();
    const bool is_small = is_ours() && has_row();
    if (get_ring(is_small ? Host::Size::small : Host::Size::full) && is_ours()) open_ours(since);
    recording_.show_running();
}

Stream* Stream::of(ovni_private_window* window) {
    return reinterpret_cast<ThreadPage*>(window)->owner;
}

bool Stream::get_ring(Host::Size size) {
    if (!own_.open(place_.tid(), size)) return false;
    shared_.join(nested_.stack());
    writer_.refresh_limit();
    return true;
}

void Stream::emit(const void* event, size_t size, const void* data, size_t data_size) {
    SlowPath slow;
    Lock lock(mutex_);
    nested_.start_over();
    if (is_closed()) return;
    // Everybody would wait for what the thread was cancelled in, and a cleanup handler for itself.
    if (shared_.is_emitting() && !nested_.may_be_in_handler(slow.signals_before())) shared_.leave_emission();
    if (ends_.load(std::memory_order_acquire)) return wait_for_end();
    writer_.append_flush();
    writer_.settle_postponed();
    Event raised;
    if (begins_region(event)) own_.in_region = true;
    if (!own_.in_region) event = raise(event, size, raised);
    if (ends_region(event)) own_.in_region = false;
    if (is_life_cycle(event)) follow_life_cycle(static_cast<const uint8_t*>(event));
    writer_.append(event, size, data, data_size);
    if (!own_.is_mapped()) return;
    if (begins_life(event) && recording_.shown() == Recording::off)
        recording_.begin_gap(ovni_format_clock(static_cast<const uint8_t*>(event)), gate().reason());
    // The stream cannot stay in memory any longer.
    if (!own_.has_room((own_.ring().capacity() - own_.header().kept) / 2)) place_.settle_at_last();
    writer_.refresh_limit();
}

bool Stream::emit_shared(const void* event, size_t size, const void* data, size_t data_size) noexcept {
    if (!shared_.is_open()) return false;
    if (is_closed()) return true;
    if (ends_.load(std::memory_order_acquire) || is_special(event) || writer_.is_flush_due() ||
        shared_.is_place_due())
        return false;
    return shared_.put(event, size, data, data_size);
}

void Stream::emit_nested(const void* event, size_t size) noexcept {
    if (is_closed()) return;
    if (!own_.is_mapped()) return host().count_lost(1);
    if (is_shared()) return shared_.lose();
    nested_.emit(event, size);
}

void Stream::leave_emission() {
    shared_.leave_emission();
    if (own_.window()) detail::set_busy(*own_.window(), 0);
}

// An event may be older than the one before: a handler came between its clock and its emission, or the
// program took the clock of its beginning before the library's last event. Its clock is raised. A clock that
// is far older is the program's mistake, and stays.
const void* Stream::raise(const void* event, size_t size, Event& raised) {
    uint64_t clock = ovni_format_clock(static_cast<const uint8_t*>(event)),
             last = own_.window() ? own_.window()->last : 0;
    bool close = life_.owes_end() || last - clock <= longest_raise;
    if (clock >= last || size > sizeof raised.bytes || !close) return event;
    std::memcpy(raised.bytes, event, size);
    std::memcpy(raised.bytes + OVNI_FORMAT_CLOCK_AT, &last, sizeof last);
    if (own_.is_mapped()) own_.header().raised.fetch_add(1, std::memory_order_relaxed);
    return raised.bytes;
}

void Stream::note_gap(const Gap& gap, Amid amid) {
    SlowPath slow;
    Lock lock(mutex_);
    if (is_closed() || !own_.is_mapped()) return;
    if (amid == Amid::an_emission) return writer_.postpone(gap);
    writer_.append_flush();
    writer_.add_note_patiently(gap, 1);
}

void Stream::flush(Amid amid) {
    SlowPath slow;
    Lock lock(mutex_);
    if (is_closed() || !own_.is_mapped()) return;
    if (amid == Amid::nothing) writer_.append_flush();
    uint64_t begin = std::max(clock_now(), own_.window()->last);
    if (is_shared()) wait_until_moved();
    writer_.wait_until_drained(own_.header().published.load(std::memory_order_acquire));
    if (amid == Amid::an_emission) {
        for (const Event& event : {make_event("OF[", begin), make_event("OF]", clock_now())})
            emit_nested(event.bytes, event.size);
        return;
    }
    if (recording_.shown() == Recording::on) writer_.postpone_flush(begin, clock_now());
}

void Stream::move_to_cpu(int phyid, Amid amid) {
    if (phyid == life_.phyid()) return;
    SlowPath slow;
    Lock lock(mutex_);
    if (is_closed() || !life_.owes_end()) return;
    Facts facts = process().facts();
    int index = facts.cpus_are_given ? facts.index_of(phyid) : -1;
    if (index < 0) return;
    life_.set_phyid(phyid);
    Event moved = make_event("OAs", std::max(clock_now(), own_.window()->last), index);
    if (amid == Amid::an_emission) return emit_nested(moved.bytes, moved.size);
    writer_.append_flush();
    writer_.settle_postponed();
    writer_.append(moved.bytes, moved.size);
    writer_.refresh_limit();
}

// Any thread may ask, so only what is published is looked at: the head belongs to the owning thread.
void Stream::ask_for_published() {
    SlowPath slow;
    Lock lock(mutex_);
    if (is_closed() || !own_.is_mapped()) return;
    uint64_t published = own_.header().published.load(std::memory_order_acquire);
    if (!holds_events(published)) return;
    place_.settle_at_last();
    asked_ = own_.header().published.load(std::memory_order_acquire);
    ask_for(own_.header(), asked_);
}

uint64_t Stream::asked_and_not_written() {
    SlowPath slow;
    Lock lock(mutex_);
    if (is_closed() || !own_.is_mapped()) return 0;
    const RingHeader& ring = own_.header();
    const uint64_t drained = ring.drained.load(std::memory_order_acquire);
    return has_been_tried(ring, asked_) ? 0 : asked_ - std::min(asked_, drained);
}

void Stream::write_metadata() {
    SlowPath slow;
    Lock lock(mutex_);
    if (!is_closed() && place_.is_known()) place_.write_metadata();
}

void wait_until_moved() {
    constexpr int most = 1000, most_of_handlers = 10;
    const Stream* own = own_thread_state.stream;
    host().wait_until_moved(own && own->is_emitting_shared() ? most_of_handlers : most);
}

}  // namespace ovni::writer
