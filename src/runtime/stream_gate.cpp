// How a stream shows that recording ends and begins again: see gate.hpp.
#include <algorithm>
#include <cstring>

#include "ovni/mpi_events.h"
#include "runtime/stream.hpp"

namespace ovni::writer {
namespace {

EventCode code_of(const void* event) {
    return EventCode::from_bytes(static_cast<const uint8_t*>(event) + OVNI_FORMAT_CODE_AT);
}

constexpr int32_t no_mark = -1;
int32_t mark_type_of(const StateRow& row, const uint8_t* event) {
    int32_t type = no_mark;
    if (row.stack == StateRow::marks)
        memcpy(&type, event + OVNI_FORMAT_EVENT_HEADER + sizeof(int64_t), sizeof type);
    return type;
}

}  // namespace

void Stream::join_gate() {
    want(gate().state());
}

bool Stream::is_emitting() const {
    uintptr_t busy = window_ ? __atomic_load_n(&window_->busy, __ATOMIC_SEQ_CST) : 0;
    if (busy == 0) return false;
    bool is_left = busy == left_emission_.busy && ring_.is_mapped() &&
                   header().published.load(std::memory_order_relaxed) == left_emission_.published;
    return !is_left;
}

void Stream::give_up_emission() {
    if (!ring_.is_mapped()) return;
    left_emission_ = {__atomic_load_n(&window_->busy, __ATOMIC_SEQ_CST),
                      header().published.load(std::memory_order_relaxed)};
}

// The owner opens the gate when it shows the change.
void Stream::want(Recording recording) {
    wanted_.store(recording, std::memory_order_seq_cst);
    if (!window_) return;
    set_gate(gate_shut);
    set_off(nullptr);
    __atomic_store_n(&window_->running, 0, __ATOMIC_RELAXED);
}

// The stream shows what is wanted. Where another change is made at this moment, want() sets the window after
// us, or we see what it wants.
void Stream::settle_gate() {
    Recording now = shown();
    if (has_unseen_changes() || wanted() != now) return;
    const uint64_t* looks = gate().keeper() == Keeper::all ? gate_of_states : gate_of_states_without_mpi;
    if (now == Recording::on)
        set_gate(gate().is_tracking() ? looks : gate_without_looks);
    else
        set_off(gate_when_off);
    if (wanted() == now && !has_unseen_changes()) return;
    set_gate(gate_shut);
    set_off(nullptr);
}

// What does not depend on recording gets through. States are followed in any case.
bool Stream::is_always_admitted(const uint8_t* event, uint32_t size) {
    EventCode code = code_of(event);
    const StateRow* row = find_state_row(code);
    if (!row) return is_never_gated(code);
    if (row->kind == StateRow::Kind::always) return true;
    if (is_followed(*row, event)) states_->follow(*row, event, size);
    return false;
}

// An instant is no state, and libovni-mpi shows its own states itself.
bool Stream::is_followed(const StateRow& row, const uint8_t* event) const {
    int32_t mark = mark_type_of(row, event);
    if (mark != no_mark && is_punctual(mark)) return false;
    bool is_of_mpi = EventCode::from_bits(row.code).model() == 'M' || mark == OVNI_MPI_REGION_MARK;
    return !is_of_mpi || gate().keeper() == Keeper::all;
}

// A stop that comes from here on has a later clock than the event.
bool Stream::admits(const void* event, uint32_t size, Amid amid) {
    if (!window_) return true;
    // It is of the follower.
    if (is_showing_) return !is_mute_;
    if (amid == Amid::nothing) show_changes();
    const auto* bytes = static_cast<const uint8_t*>(event);
    if (is_always_admitted(bytes, size)) return true;
    if (shown() == Recording::off) return false;
    // Amid something a stop cannot be shown yet. A state that it will close has to be there.
    return amid == Amid::nothing || wanted() == Recording::on || find_state_row(code_of(bytes));
}

// In the middle of an emission, which is ended here where it does not go on.
int Stream::pass(const void* event, uint32_t size) {
    const auto* bytes = static_cast<const uint8_t*>(event);
    bool is_open = __atomic_load_n(&window_->gate, __ATOMIC_RELAXED) != gate_shut;
    if (is_open || __atomic_load_n(&window_->off, __ATOMIC_RELAXED)) {
        if (is_always_admitted(bytes, size) || is_open) return 1;
        detail::leave_emission(*window_);
        return 0;
    }
    detail::leave_emission(*window_);
    Event complete;
    memcpy(complete.bytes, event, size);
    uint64_t clock = ovni_format_clock(complete.bytes);
    if (clock == detail::any_clock) clock = clock_now();
    memcpy(complete.bytes + OVNI_FORMAT_CLOCK_AT, &clock, sizeof clock);
    ovni_private_emit(complete.bytes, size);
    return 0;
}

void Stream::show_changes() {
    if (is_showing_ || !window_ || is_closed()) return;
    RecordingChange change{};
    bool has_shown = false;
    while (has_unseen_changes() && gate().next(*this, seen_, change)) show(change), has_shown = true;
    // The clock of a stop that is being made is not known yet: this thread stops a moment before the others.
    if (wanted() == Recording::off && shown() == Recording::on)
        show({Recording::off, clock_now(), gate().reason()});
    bool is_settled = __atomic_load_n(&window_->gate, __ATOMIC_RELAXED) != gate_shut ||
                      __atomic_load_n(&window_->off, __ATOMIC_RELAXED);
    if (!is_settled || has_shown) settle_gate();
    show_running();
}

// What the follower emits gets through, so no handler may come between.
class Stream::Showing {
 public:
    explicit Showing(Stream& stream) : stream_(stream) { stream_.is_showing_ = true; }
    ~Showing() { stream_.is_showing_ = false; }
    Showing(const Showing&) = delete;
    Showing& operator=(const Showing&) = delete;

 private:
    SignalsWait signals_;
    Stream& stream_;
};

void Stream::show(const RecordingChange& change) {
    Showing showing(*this);
    // A thread that has slept through many changes has missed some.
    if (change.to == Recording::on && shown() == Recording::on && change.has_missed)
        show_stop({Recording::off, window_->last, gate().reason()});
    if (change.to == shown()) return;
    if (change.to == Recording::off)
        show_stop(change);
    else
        show_start(change);
}

const void* Stream::after_start(const void* event, uint32_t size, Event& raised) const {
    bool is_later = ovni_format_clock(static_cast<const uint8_t*>(event)) >= started_at_;
    if (is_later || in_region_ || size > sizeof raised.bytes) return event;
    memcpy(raised.bytes, event, size);
    memcpy(raised.bytes + OVNI_FORMAT_CLOCK_AT, &started_at_, sizeof started_at_);
    return raised.bytes;
}

void Stream::show_stop(const RecordingChange& change) {
    uint64_t clock = std::max(change.clock, window_->last);
    bool runs = life_ == Life::running;
    {
        SlowPath slow;
        Lock lock(mutex_);
        append_flush_pair();
        settle_postponed();
        if (runs) states_->close(clock, [&](const Event& event) { append(event.bytes, event.size); });
        refresh_limit();
    }
    is_mute_ = !runs;
    call_follower(Recording::off, clock);
    is_mute_ = false;
    open_is_due_ = false;
    SlowPath slow;
    Lock lock(mutex_);
    shown_.store(Recording::off, std::memory_order_relaxed);
    if (lives()) begin_gap(clock, change.reason);
}

// A thread that is paused by its life cycle has no states to show before it runs again.
void Stream::show_start(const RecordingChange& change) {
    uint64_t clock = std::max(change.clock, window_->last);
    {
        SlowPath slow;
        Lock lock(mutex_);
        end_gap(clock);
        shown_.store(Recording::on, std::memory_order_relaxed);
        window_->last = started_at_ = clock;
    }
    open_is_due_ = life_ != Life::running;
    if (!open_is_due_) open_states_again(clock);
}

void Stream::open_states_again(uint64_t clock) {
    {
        SlowPath slow;
        Lock lock(mutex_);
        states_->open(clock, [&](const Event& event) { append(event.bytes, event.size); });
        refresh_limit();
    }
    call_follower(Recording::on, clock);
}

void Stream::open_states_due() {
    if (!open_is_due_ || life_ != Life::running || shown() != Recording::on) return;
    open_is_due_ = false;
    {
        Showing showing(*this);
        open_states_again(window_->last);
    }
    settle_gate();
    show_running();
}

void Stream::call_follower(Recording recording, uint64_t clock) {
    ovni_private_follower* follower = gate().follower();
    if (!follower || is_closed()) return;
    if (!is_mute_) set_gate(gate_without_looks);
    follower(recording == Recording::on ? 1 : 0, clock);
    set_gate(gate_shut);
}

void Stream::begin_gap(uint64_t from, const char* reason) {
    has_gap_ = true;
    if (!ring_.is_mapped() || is_gap_noted_) return;
    gap_reason_ = reason;
    // Its end needs room, too: without it, what follows would not be traced.
    constexpr uint32_t both = 2;
    is_gap_noted_ = add_note_patiently({0, from, UINT64_MAX, 0, reason}, both);
}

// A note without length ends the gap of its reason: see Gaps::add().
void Stream::end_gap(uint64_t to) {
    if (ring_.is_mapped() && is_gap_noted_)
        is_gap_noted_ = !add_note_patiently({0, to, to, 0, gap_reason_}, 1);
}

// By any thread, so the follower is not asked: what is open is left to the gap.
void Stream::note_changes_at_end() {
    RecordingChange change{};
    if (!has_unseen_changes()) return;
    uint64_t last = __atomic_load_n(&window_->last, __ATOMIC_RELAXED);
    while (has_unseen_changes() && gate().next(*this, seen_, change)) {
        uint64_t clock = std::max(change.clock, last);
        if (change.to == shown() || !lives()) continue;
        shown_.store(change.to, std::memory_order_relaxed);
        if (change.to == Recording::off)
            begin_gap(clock, change.reason);
        else
            end_gap(clock);
    }
}

}  // namespace ovni::writer
