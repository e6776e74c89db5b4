#include "runtime/shared_emission.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#include "ring/event.hpp"
#include "ring/shared_record.hpp"

namespace ovni::writer {
namespace {

SharedProducer::NoRoom without_room(const void* event) {
    using enum SharedProducer::NoRoom;
    if (is_needed(event)) return needed;
    return host().settings().on_full == OnFull::discard ? lose : refuse;
}

}  // namespace

void SharedEmission::leave() {
    if (producer_) producer_->close();
    producer_ = nullptr;
}

void SharedEmission::join(const StackRange& stack) {
    leave();
    place_at_ = UINT64_MAX;
    const SharedBuffer* shared = host().shared();
    if (!shared) return;
    auto* producer = new (&own_.page().producer) SharedProducer;
    if (!producer->open(*shared, static_cast<uint32_t>(getpid()), static_cast<uint32_t>(syscall(SYS_gettid)),
                        stack)) {
        producer->close();
        return;
    }
    RingHeader& header = own_.header();
    uint32_t generation = header.generation.load(std::memory_order_relaxed);
    producer->sign(sender_of(own_.lease().number, generation), []() noexcept { host().wake(); });
    header.shared.store(host().shared_number() + 1, std::memory_order_relaxed);
    place_at_ = (own_.ring().capacity() - header.kept) / 2 - OwnRing::slack;
    producer_ = producer;
}

void SharedEmission::let_emission_end() {
    if (producer_ && host().shared()) producer_->let_write_end(*host().shared());
}

bool SharedEmission::is_place_due() noexcept {
    if (own_.head() <= place_at_) return false;
    if (!own_.is_placed()) return true;
    place_at_ = UINT64_MAX;
    return false;
}

bool SharedEmission::put(const void* event, size_t size, const void* data, size_t data_size) noexcept {
    if (data_size > largest_part) return false;
    Outcome outcome = put_event(event, size, data, data_size);
    if (outcome == Outcome::lost) own_.count_loss();
    return outcome != Outcome::refused;
}

SharedEmission::Outcome SharedEmission::put_event(const void* event, size_t size, const void* data,
                                                  size_t data_size) {
    NoRoom no_room = without_room(event);
    const auto* bytes = static_cast<const uint8_t*>(event);
    EventCode code = EventCode::from_bytes(bytes + OVNI_FORMAT_CODE_AT);
    uint64_t clock = ovni_format_clock(bytes);
    own_.set_head(own_.head() + size + data_size);
    own_.follow_clock(clock);
    if (!ovni_format_is_jumbo(bytes[0]))
        return producer_->emit(code, clock,
                               {bytes + OVNI_FORMAT_EVENT_HEADER, size - OVNI_FORMAT_EVENT_HEADER}, no_room);
    constexpr size_t before_data = OVNI_FORMAT_EVENT_HEADER + OVNI_FORMAT_JUMBO_SIZE;
    std::span<const uint8_t> content{static_cast<const uint8_t*>(data), data_size};
    if (!data) content = {bytes + before_data, size - before_data};
    return producer_->emit_jumbo(code, clock, content, no_room);
}

// Waits as long as RingWriter::wait_for_room() does. The drainer may wait for an emission that this thread, a
// handler in it, has interrupted: a handler gives up soon.
template <class Put>
SharedEmission::Outcome SharedEmission::put_after_waiting(Put put) {
    constexpr int most_passes_of_handlers = 10;
    SharedHeader& shared = host().shared()->header();
    int most = producer_->is_emitting() ? most_passes_of_handlers : most_waits;
    uint64_t freed = shared.freed.load(std::memory_order_acquire), pass = host().last_pass();
    for (int passes = 0; passes < most && !end_is_wanted();) {
        host().wait_for_room(shared, freed);
        uint64_t now = shared.freed.load(std::memory_order_acquire), latest = host().last_pass();
        Outcome outcome = put();
        if (outcome != Outcome::refused) return outcome;
        if (now > freed)
            passes = 0;
        else if (latest != pass || !host().is_served())
            ++passes;
        freed = now;
        pass = latest;
    }
    if (most == most_waits) next_attempt_ = monotonic_clock() + between_attempts;
    return Outcome::refused;
}

template <class Put>
bool SharedEmission::put_patiently(Put put) {
    Outcome outcome = put();
    if (outcome == Outcome::refused && monotonic_clock() >= next_attempt_) outcome = put_after_waiting(put);
    if (outcome == Outcome::refused) producer_->lose();
    if (outcome != Outcome::written) own_.count_loss();
    return outcome == Outcome::written;
}

void SharedEmission::append(const void* event, size_t size, const void* data, size_t data_size) {
    if (size + data_size + OwnRing::slack > own_.ring().capacity()) return producer_->lose();
    if (data_size > largest_part) return append_in_parts(event, size, data, data_size);
    put_patiently([&] { return put_event(event, size, data, data_size); });
}

// The first part begins with the event's header. No other record of this thread comes between the parts.
void SharedEmission::append_in_parts(const void* event, size_t size, const void* data, size_t data_size) {
    uint64_t clock = ovni_format_clock(static_cast<const uint8_t*>(event));
    const auto* bytes = static_cast<const uint8_t*>(data);
    std::vector<uint8_t> part(static_cast<const uint8_t*>(event), static_cast<const uint8_t*>(event) + size);
    own_.set_head(own_.head() + size + data_size);
    own_.window()->last = std::max(own_.window()->last, clock);
    for (size_t at = 0; at < data_size; part.clear()) {
        size_t count = std::min(largest_part - part.size(), data_size - at);
        part.insert(part.end(), bytes + at, bytes + at + count);
        at += count;
        EventCode code = at < data_size ? record_is_part : record_is_last_part;
        if (!put_patiently([&] { return producer_->emit_jumbo(code, clock, part, NoRoom::needed); })) return;
    }
}

bool SharedEmission::put_note(const Gap& gap) {
    RingNote note = note_of(gap, 0);
    std::span<const uint8_t> bytes{reinterpret_cast<const uint8_t*>(&note), sizeof note};
    return put_patiently(
        [&] { return producer_->emit_jumbo(record_is_note, gap.from, bytes, NoRoom::needed); });
}

void SharedEmission::take_lost() {
    own_.header().lost_unmarked.store(producer_->take_lost(), std::memory_order_relaxed);
}

// Any thread may close the stream, even while the owning thread emits.
void SharedEmission::end() {
    take_lost();
    uint64_t reserved = host().shared()->header().reserved.load(std::memory_order_acquire);
    own_.header().shared_end.store(reserved, std::memory_order_release);
}

}  // namespace ovni::writer
