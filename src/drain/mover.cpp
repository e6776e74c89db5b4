#include "drain/mover.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "ring/diagnostics.hpp"
#include "ring/event.hpp"

namespace ovni::writer {
namespace {

constexpr size_t batch = 1024;  // records

bool is_in_use(const RingHeader& header, uint32_t generation) {
    RingState state = header.state.load(std::memory_order_acquire);
    return (state == RingState::open || state == RingState::closed) &&
           header.generation.load(std::memory_order_acquire) == generation;
}

}  // namespace

Mover::Mover(SharedFile file, Rings& rings) : file_(std::move(file)), rings_(rings) {
    reader_.open(file_.buffer());
    position_ = seen_ = reader_.position();
}

double Mover::look() {
    bool is_held_up = position_ < seen_;
    seen_ = file_.buffer().header().reserved.load(std::memory_order_acquire);
    double fill = static_cast<double>(seen_ - position_) / static_cast<double>(file_.buffer().capacity());
    return is_held_up ? 1 : fill;
}

void Mover::move() {
    forget_missing();
    for (size_t count = batch; count == batch;) {
        count = reader_.read([this](const SharedRecord& record) { take(record); }, batch, seen_);
        position_ = reader_.position();
        commit_all();
        reader_.release();
    }
    if (uint64_t damaged = file_.buffer().header().damaged_bytes.load(std::memory_order_relaxed))
        complain(Trouble::memory, "ovni", "%lu bytes of the events of process %d are damaged", damaged,
                 owner().pid);
}

// It takes two looks at a record to find that no thread is writing it.
void Mover::move_all() {
    constexpr int most_idle = 4;
    reader_.forget_lives();
    for (int idle = 0; idle < most_idle && !reader_.is_drained(); ++idle) {
        uint64_t before = position_;
        look();
        move();
        if (position_ != before) idle = 0;
    }
    // Nothing holds up what is left.
    position_ = std::max(position_, file_.buffer().header().reserved.load(std::memory_order_acquire));
}

bool Mover::has_moved_all_of(const RingHeader& ring) const {
    return position_ >= ring.shared_end.load(std::memory_order_acquire);
}

// Null if the ring has another use now, or is finished: the owner emitted while it was closed.
Mover::Target* Mover::target_of(uint64_t sender) {
    auto number = static_cast<uint32_t>(sender >> 32);
    auto generation = static_cast<uint32_t>(sender);
    if (newest_.first != sender) {
        auto [found, is_new] = targets_.try_emplace(number);
        if (is_new || found->second.generation != generation) {
            if (!is_new) commit(found->second);
            load(found->second, is_new ? rings_.find(number) : found->second.stream, generation);
        }
        newest_ = {sender, &found->second};
    }
    Target* target = newest_.second;
    return target->stream && is_in_use(target->stream->header(), generation) ? target : nullptr;
}

// Their rings may be there now.
void Mover::forget_missing() {
    std::erase_if(targets_, [](const auto& target) { return !target.second.stream; });
    newest_ = {UINT64_MAX, nullptr};
}

// The ring of an event cannot be opened, so another ring of the process counts the event.
void Mover::lose_elsewhere() {
    complain(Trouble::memory, "ovni",
             "events of process %d are lost, their memory cannot be opened:", owner().pid);
    DrainedStream* reporter = rings_.reporter_of(owner().process());
    if (reporter) reporter->header().lost_elsewhere.fetch_add(1, std::memory_order_relaxed);
}

// An earlier drainer may have died in the middle of commit().
void Mover::load(Target& target, DrainedStream* stream, uint32_t generation) {
    target = {stream, generation, false, {}};
    if (!stream || !is_in_use(stream->header(), generation)) return;
    RingHeader& header = stream->header();
    target.moved = header.moved[header.current_moved.load(std::memory_order_acquire) % 2];
    if (target.moved.taken == 0) return;
    target.is_changed = true;
    commit(target);
}

void Mover::commit(Target& target) {
    if (!target.is_changed) return;
    target.is_changed = false;
    RingHeader& header = target.stream->header();
    if (!is_in_use(header, target.generation)) return;
    uint32_t next = header.current_moved.load(std::memory_order_relaxed) + 1;
    header.moved[next % 2] = target.moved;
    header.current_moved.store(next, std::memory_order_release);
    header.notes_added.store(target.moved.notes_added, std::memory_order_release);
    if (target.moved.head > 0) header.published.store(target.moved.head, std::memory_order_release);
}

void Mover::commit_all() {
    for (auto& [number, target] : targets_) commit(target);
}

void Mover::take(const SharedRecord& record) {
    position_ = record.at;
    Target* target = target_of(uint64_t{record.pid} << 32 | record.tid);
    if (!newest_.second->stream) lose_elsewhere();
    if (!target || record.at < target->moved.taken) return;
    if (record.lost_before > 0) {
        target->moved.stored = target->moved.head;
        target->moved.is_torn = 0;
        lose(*target, record.lost_before, record.clock);
    }
    if (record.code == record_is_note) {
        RingNote note{};
        memcpy(&note, record.payload.data(), std::min(sizeof note, record.payload.size()));
        add_note(*target, note);
    } else if (record.code == record_is_part || record.code == record_is_last_part) {
        take_part(*target, record);
    } else {
        take_event(*target, record);
    }
    target->moved.taken = record.at + 1;
    target->is_changed = true;
}

void Mover::take_event(Target& target, const SharedRecord& record) {
    auto payload = static_cast<uint32_t>(record.payload.size());
    uint8_t event[OVNI_FORMAT_EVENT_MAX];
    uint32_t flags = record.is_jumbo ? uint32_t{OVNI_FORMAT_JUMBO | (OVNI_FORMAT_JUMBO_SIZE - 1)}
                                     : uint32_t{ovni_format_flags(payload)};
    uint32_t flags_and_code = flags | record.code.bits() << 8;
    memcpy(event, &flags_and_code, sizeof flags_and_code);
    memcpy(event + OVNI_FORMAT_CLOCK_AT, &record.clock, sizeof record.clock);
    size_t size = OVNI_FORMAT_EVENT_HEADER;
    if (record.is_jumbo) {
        memcpy(event + size, &payload, sizeof payload);
        size += sizeof payload;
    }
    target.moved.is_torn = 0;
    target.moved.stored = target.moved.head;  // drops parts of an event that was given up
    if (!make_room(target, size + payload)) return lose(target, 1, record.clock);
    raise(target, event);
    store(target, event, size);
    store(target, record.payload.data(), payload);
    target.moved.head = target.moved.stored;
}

void Mover::take_part(Target& target, const SharedRecord& record) {
    RingMoved& moved = target.moved;
    bool is_last = record.code == record_is_last_part;
    if (!moved.is_torn && make_room(target, record.payload.size())) {
        store(target, record.payload.data(), record.payload.size());
    } else {
        moved.stored = moved.head;
        moved.is_torn = 1;
    }
    if (!is_last) return;
    if (std::exchange(moved.is_torn, 0)) return lose(target, 1, record.clock);
    uint8_t header[OVNI_FORMAT_EVENT_HEADER];
    target.stream->ring().get(moved.head, header, sizeof header);
    raise(target, header);
    target.stream->ring().put(moved.head, header, sizeof header);
    moved.head = moved.stored;
}

// Stream::raise() does this for threads that store into their rings.
void Mover::raise(Target& target, uint8_t* event) {
    RingMoved& moved = target.moved;
    uint64_t clock = ovni_format_clock(event);
    if (begins_region(event)) moved.in_region = 1;
    bool is_ours = target.stream->header().life_is_ours.load(std::memory_order_acquire) != 0;
    if (!moved.in_region && clock < moved.last && (is_ours || moved.last - clock <= longest_raise)) {
        memcpy(event + OVNI_FORMAT_CLOCK_AT, &moved.last, sizeof moved.last);
        clock = moved.last;
        ++moved.raised;
    }
    if (ends_region(event)) moved.in_region = 0;
    if (!moved.in_region) moved.last = std::max(moved.last, clock);
}

// The first record comes behind the OHx of the library, if that is there.
bool Mover::make_room(Target& target, uint64_t bytes) {
    DrainedStream& stream = *target.stream;
    RingHeader& header = stream.header();
    if (target.moved.head == 0 && target.moved.stored == 0) {
        target.moved.head = target.moved.stored = header.published.load(std::memory_order_acquire);
        uint8_t begin[OVNI_FORMAT_EVENT_HEADER];
        stream.ring().get(0, begin, sizeof begin);
        if (target.moved.head > 0) target.moved.last = ovni_format_clock(begin);
    }
    auto has_room = [&] {
        uint64_t drained = header.drained.load(std::memory_order_acquire);
        return target.moved.stored + bytes <= drained + stream.ring().capacity();
    };
    if (has_room()) return true;
    commit_all();
    // A large definition needs the room of what a flight recorder keeps.
    uint64_t published = header.published.load(std::memory_order_acquire);
    if (target.moved.stored + bytes - published > stream.ring().capacity() - header.kept)
        ask_for(header, published);
    const uint64_t needed = target.moved.stored + bytes - stream.ring().capacity();
    header.needed.store(std::min(needed, published), std::memory_order_release);
    rings_.make_room(stream);
    return is_in_use(header, target.generation) && has_room();
}

void Mover::store(Target& target, const void* bytes, size_t size) {
    target.stream->ring().put(target.moved.stored, bytes, size);
    target.moved.stored += size;
}

void Mover::add_note(Target& target, RingNote note) {
    DrainedStream& stream = *target.stream;
    RingHeader& header = stream.header();
    auto is_full = [&] {
        uint32_t taken = header.notes_taken.load(std::memory_order_acquire);
        return target.moved.notes_added - taken == RingHeader::most_notes;
    };
    if (is_full()) {
        commit_all();
        rings_.make_room(stream);
    }
    if (is_full() || !is_in_use(header, target.generation)) return;
    note.position = target.moved.head > 0 ? target.moved.head : header.published.load();
    header.notes[target.moved.notes_added++ % RingHeader::most_notes] = note;
}

void Mover::lose(Target& target, uint64_t events, uint64_t until) {
    bool is_policy = file_.buffer().header().on_full == SharedOnFull::discard;
    RingNote note{0, target.moved.last > 0 ? target.moved.last : until, until, events, {}};
    strncpy(note.reason, is_policy ? "discarded" : "memory", sizeof note.reason);
    add_note(target, note);
    target.moved.lost += events;
}

void Mover::close(DrainedStream& stream, uint32_t number) {
    RingHeader& header = stream.header();
    uint32_t generation = header.generation.load(std::memory_order_acquire);
    uint64_t lost = header.lost_unmarked.exchange(0, std::memory_order_acq_rel);
    if (lost == 0) return;
    Target* target = target_of(sender_of(number, generation));
    if (!target) return;
    lose(*target, lost, std::max(target->moved.last, header.end_clock.load(std::memory_order_relaxed)));
    target->moved.taken = std::max(target->moved.taken, uint64_t{1});
    target->is_changed = true;
    commit(*target);
}

}  // namespace ovni::writer
