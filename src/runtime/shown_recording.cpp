#include "runtime/shown_recording.hpp"

#include <algorithm>
#include <cstring>

#include "ovni/mpi_events.h"
#include "runtime/border_follower.hpp"
#include "runtime/process.hpp"

namespace ovni::writer {
namespace {

EventCode code_of(const void* event) {
    return EventCode::from_bytes(static_cast<const uint8_t*>(event) + OVNI_FORMAT_CODE_AT);
}

std::atomic<uint64_t> punctual_types[2];  // bits by mark type

bool is_punctual(int32_t mark_type) {
    return mark_type >= 0 && mark_type < 128 &&
           (punctual_types[mark_type / 64].load(std::memory_order_relaxed) >> mark_type % 64 & 1) != 0;
}

constexpr int32_t no_mark = -1;
int32_t mark_type_of(const StateRow& row, const uint8_t* event) {
    int32_t type = no_mark;
    if (row.stack == StateRow::marks)
        memcpy(&type, event + OVNI_FORMAT_EVENT_HEADER + sizeof(int64_t), sizeof type);
    return type;
}

}  // namespace

void ShownRecording::join() {
    shown_ = gate().join(seen_);
    wanted_ = shown();
    set_gate(gate_shut);
}

void ShownRecording::show_running() {
    uint32_t running = is_recorded() && process().state() != ProcessState::gone;
    if (own_.window()) __atomic_store_n(&own_.window()->running, running, __ATOMIC_RELAXED);
}

bool ShownRecording::is_emitting() const {
    uintptr_t busy = own_.window() ? __atomic_load_n(&own_.window()->busy, __ATOMIC_SEQ_CST) : 0;
    if (busy == 0) return false;
    bool is_left = busy == left_emission_.busy && own_.is_mapped() &&
                   own_.header().published.load(std::memory_order_relaxed) == left_emission_.published;
    return !is_left;
}

void ShownRecording::give_up_emission() {
    if (!own_.is_mapped()) return;
    left_emission_ = {__atomic_load_n(&own_.window()->busy, __ATOMIC_SEQ_CST),
                      own_.header().published.load(std::memory_order_relaxed)};
}

// The owning thread opens the gate when it shows the change.
void ShownRecording::want(Recording recording) {
    wanted_.store(recording, std::memory_order_seq_cst);
    if (!own_.window()) return;
    shut_gate();
    __atomic_store_n(&own_.window()->running, 0, __ATOMIC_RELAXED);
}

// The stream shows what is wanted. If another change is made at this moment, want() sets the window after
// this function, or this function sees what want() stored.
void ShownRecording::settle_gate() {
    Recording now = shown();
    if (has_unseen_changes() || wanted() != now) return;
    const uint64_t* looks = gate().keeper() == Keeper::all ? gate_of_states : gate_of_states_without_mpi;
    if (now == Recording::on)
        set_gate(gate().is_tracking() ? looks : gate_without_looks);
    else
        set_off(gate_when_off);
    if (wanted() == now && !has_unseen_changes()) return;
    shut_gate();
}

// Some events do not depend on recording. States are followed in any case.
bool ShownRecording::is_always_admitted(const uint8_t* event, uint32_t size) {
    EventCode code = code_of(event);
    const StateRow* row = find_state_row(code);
    if (!row) return is_never_gated(code);
    if (row->kind == StateRowKind::always) return true;
    if (is_followed(*row, event)) own_.page().states.follow(*row, event, size);
    return false;
}

// An instant is no state, and libovni-mpi shows its own states itself.
bool ShownRecording::is_followed(const StateRow& row, const uint8_t* event) const {
    int32_t mark = mark_type_of(row, event);
    if (mark != no_mark && is_punctual(mark)) return false;
    bool is_of_mpi = EventCode::from_bits(row.code).model() == 'M' || mark == OVNI_MPI_REGION_MARK;
    return !is_of_mpi || gate().keeper() == Keeper::all;
}

void ShownRecording::set_punctual(int32_t mark_type) {
    punctual_types[mark_type / 64].fetch_or(uint64_t{1} << mark_type % 64, std::memory_order_relaxed);
}

// A stop that is made from here on has a later clock than the event.
bool ShownRecording::admits(const void* event, uint32_t size, Amid amid) {
    if (!own_.window()) return true;
    if (showing_ != Showing::nothing) return showing_ == Showing::change;
    if (amid == Amid::nothing) show_changes();
    const auto* bytes = static_cast<const uint8_t*>(event);
    if (is_always_admitted(bytes, size)) return true;
    if (shown() == Recording::off) return false;
    // Amid an emission a stop cannot be shown yet. A state that the stop will close has to be in the stream.
    return amid == Amid::nothing || wanted() == Recording::on || find_state_row(code_of(bytes));
}

// An emission that does not go on is ended here.
int ShownRecording::pass(const void* event, uint32_t size) {
    const auto* bytes = static_cast<const uint8_t*>(event);
    bool is_open = is_gate_open();
    if (is_open || is_off_settled()) {
        if (is_always_admitted(bytes, size) || is_open) return 1;
        detail::leave_emission(*own_.window());
        return 0;
    }
    detail::leave_emission(*own_.window());
    Event complete;
    memcpy(complete.bytes, event, size);
    uint64_t clock = ovni_format_clock(complete.bytes);
    if (clock == detail::any_clock) clock = clock_now();
    memcpy(complete.bytes + OVNI_FORMAT_CLOCK_AT, &clock, sizeof clock);
    ovni_private_emit(complete.bytes, size);
    return 0;
}

void ShownRecording::show_changes() {
    if (showing_ != Showing::nothing || !own_.window() || life_.is_closed()) return;
    RecordingChange change{};
    bool has_shown = false;
    while (has_unseen_changes() && gate().next(stream_, seen_, change)) show(change), has_shown = true;
    // The clock of a stop that is being made is not known yet: this thread stops a moment before the others.
    if (wanted() == Recording::off && shown() == Recording::on)
        show({Recording::off, clock_now(), gate().reason()});
    bool is_settled = is_gate_open() || is_off_settled();
    if (!is_settled || has_shown) settle_gate();
    show_running();
}

// Events in this scope pass as the follower's, without a look at recording, so no handler may come between.
class ShownRecording::ShowingScope {
 public:
    explicit ShowingScope(ShownRecording& recording) : recording_(recording) {
        recording_.showing_ = Showing::change;
        recording_.writer_.need_all(true);
    }
    ~ShowingScope() {
        recording_.writer_.need_all(false);
        recording_.showing_ = Showing::nothing;
    }
    ShowingScope(const ShowingScope&) = delete;
    ShowingScope& operator=(const ShowingScope&) = delete;

 private:
    SignalsWait signals_;
    ShownRecording& recording_;
};

void ShownRecording::show(const RecordingChange& change) {
    ShowingScope scope(*this);
    // A thread that has slept through many changes has missed some.
    if (change.to == Recording::on && shown() == Recording::on && change.has_missed)
        show_stop({Recording::off, own_.window()->last, gate().reason()});
    if (change.to == shown()) return;
    if (change.to == Recording::off)
        show_stop(change);
    else
        show_start(change);
}

const void* ShownRecording::after_start(const void* event, uint32_t size, Event& raised) const {
    bool is_later = ovni_format_clock(static_cast<const uint8_t*>(event)) >= started_at_;
    if (is_later || own_.in_region || size > sizeof raised.bytes) return event;
    memcpy(raised.bytes, event, size);
    memcpy(raised.bytes + OVNI_FORMAT_CLOCK_AT, &started_at_, sizeof started_at_);
    return raised.bytes;
}

void ShownRecording::show_stop(const RecordingChange& change) {
    uint64_t clock = std::max(change.clock, own_.window()->last);
    bool runs = life_.phase() == ThreadLife::Phase::running;
    {
        SlowPath slow;
        Lock lock(mutex_);
        writer_.append_flush();
        writer_.settle_postponed();
        if (runs)
            own_.page().states.close(clock,
                                     [&](const Event& event) { writer_.append(event.bytes, event.size); });
        writer_.refresh_limit();
    }
    // A thread that does not run emits nothing: the gap is sufficient.
    if (!runs) showing_ = Showing::change_of_paused;
    call_follower(Recording::off, clock);
    showing_ = Showing::change;
    open_is_due_ = false;
    SlowPath slow;
    Lock lock(mutex_);
    shown_.store(Recording::off, std::memory_order_relaxed);
    if (life_.lives()) begin_gap(clock, change.reason);
}

// A thread that is paused by its life cycle has no states to show before it runs again.
void ShownRecording::show_start(const RecordingChange& change) {
    uint64_t clock = std::max(change.clock, own_.window()->last);
    {
        SlowPath slow;
        Lock lock(mutex_);
        end_gap(clock);
        shown_.store(Recording::on, std::memory_order_relaxed);
        own_.window()->last = started_at_ = clock;
    }
    open_is_due_ = life_.phase() != ThreadLife::Phase::running;
    if (!open_is_due_) open_states_again(clock);
}

void ShownRecording::open_states_again(uint64_t clock) {
    {
        SlowPath slow;
        Lock lock(mutex_);
        own_.page().states.open(clock, [&](const Event& event) { writer_.append(event.bytes, event.size); });
        writer_.refresh_limit();
    }
    if (const auto* counting = border_follower.load(std::memory_order_relaxed)) counting->resume(clock);
    call_follower(Recording::on, clock);
}

void ShownRecording::open_states_due() {
    if (!open_is_due_ || life_.phase() != ThreadLife::Phase::running || shown() != Recording::on) return;
    open_is_due_ = false;
    {
        ShowingScope scope(*this);
        open_states_again(own_.window()->last);
    }
    settle_gate();
    show_running();
}

void ShownRecording::call_follower(Recording recording, uint64_t clock) {
    ovni_private_follower* follower = gate().follower();
    if (!follower || life_.is_closed()) return;
    if (showing_ == Showing::change) set_gate(gate_without_looks);
    follower(recording == Recording::on ? 1 : 0, clock);
    set_gate(gate_shut);
}

void ShownRecording::begin_gap(uint64_t from, const char* reason) {
    if (gap_ == GapState::noted) return;
    gap_ = GapState::past;
    if (!own_.is_mapped()) return;
    gap_reason_ = reason;
    // The end of the gap needs room, too: without it, what follows would not be traced.
    constexpr uint32_t both = 2;
    if (writer_.add_note_patiently({0, from, UINT64_MAX, 0, reason}, both)) gap_ = GapState::noted;
}

// A note without length ends the gap of its reason: see Gaps::add().
void ShownRecording::end_gap(uint64_t to) {
    if (!own_.is_mapped() || gap_ != GapState::noted) return;
    if (writer_.add_note_patiently({0, to, to, 0, gap_reason_}, 1)) gap_ = GapState::past;
}

void ShownRecording::note_changes_at_end() {
    RecordingChange change{};
    if (!has_unseen_changes()) return;
    uint64_t last = __atomic_load_n(&own_.window()->last, __ATOMIC_RELAXED);
    while (has_unseen_changes() && gate().next(stream_, seen_, change)) {
        uint64_t clock = std::max(change.clock, last);
        if (change.to == shown() || !life_.lives()) continue;
        shown_.store(change.to, std::memory_order_relaxed);
        if (change.to == Recording::off)
            begin_gap(clock, change.reason);
        else
            end_gap(clock);
    }
}

}  // namespace ovni::writer
