// How events get into the buffer that all threads of the process share, where they do not store into their
// rings.
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#include "ring/event.hpp"
#include "ring/shared_record.hpp"
#include "runtime/stream.hpp"

namespace ovni::writer {
namespace {

SharedProducer::NoRoom without_room(const void* event) {
    using enum SharedProducer::NoRoom;
    if (is_needed(event)) return needed;
    return host().settings().on_full == OnFull::discard ? lose : refuse;
}

}  // namespace

// A thread without a seat stores into its ring.
void Stream::share() {
    if (producer_) producer_->close();
    producer_ = nullptr;
    place_at_ = UINT64_MAX;
    const SharedBuffer* shared = host().shared();
    if (!shared) return;
    auto* producer = new (&reinterpret_cast<WipedPage*>(window_)->producer) SharedProducer;
    if (!producer->open(*shared, static_cast<uint32_t>(getpid()), static_cast<uint32_t>(syscall(SYS_gettid)),
                        stack_)) {
        producer->close();
        return;
    }
    uint32_t generation = header().generation.load(std::memory_order_relaxed);
    producer->sign(sender_of(ring_.number, generation), []() noexcept { host().wake(); });
    header().shared.store(host().shared_number() + 1, std::memory_order_relaxed);
    place_at_ = (ring_.ring.capacity() - header().kept) / 2 - slack;
    producer_ = producer;
}

void Stream::let_shared_emission_end() {
    if (producer_ && host().shared()) producer_->let_write_end(*host().shared());
}

bool Stream::emit_shared(const void* event, size_t size, const void* data, size_t data_size) noexcept {
    if (!producer_ || !producer_->is_open()) return false;
    if (is_closed()) return true;
    if (ends_.load(std::memory_order_acquire) || is_special(event) || flush_pair_due_ ||
        window_->head > place_at_)
        return false;
    if (data_size > largest_part) return false;
    return put_shared(event, size, data, data_size, without_room(event)) != Outcome::refused;
}

Stream::Outcome Stream::put_shared(const void* event, size_t size, const void* data, size_t data_size,
                                   NoRoom no_room) {
    const auto* bytes = static_cast<const uint8_t*>(event);
    EventCode code = EventCode::from_bytes(bytes + OVNI_FORMAT_CODE_AT);
    uint64_t clock = ovni_format_clock(bytes);
    window_->head += size + data_size;
    if (!in_region_) window_->last = std::max(window_->last, clock);
    if (!ovni_format_is_jumbo(bytes[0]))
        return producer_->emit(code, clock,
                               {bytes + OVNI_FORMAT_EVENT_HEADER, size - OVNI_FORMAT_EVENT_HEADER}, no_room);
    constexpr size_t before_data = OVNI_FORMAT_EVENT_HEADER + OVNI_FORMAT_JUMBO_SIZE;
    std::span<const uint8_t> content{static_cast<const uint8_t*>(data), data_size};
    if (!data) content = {bytes + before_data, size - before_data};
    return producer_->emit_jumbo(code, clock, content, no_room);
}

// With the patience of wait_for_room(). A handler that interrupted an emission may be what the drainer waits
// for, and gives up soon.
template <class Put>
Stream::Outcome Stream::put_after_waiting(Put put) {
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
bool Stream::put_patiently(Put put) {
    Outcome outcome = put();
    if (outcome == Outcome::refused && monotonic_clock() >= next_attempt_) outcome = put_after_waiting(put);
    if (outcome == Outcome::refused) producer_->lose();
    return outcome == Outcome::written;
}

void Stream::append_shared(const void* event, size_t size, const void* data, size_t data_size) {
    if (size + data_size + slack > ring_.ring.capacity()) return producer_->lose();
    if (data_size > largest_part) return append_in_parts(event, size, data, data_size);
    put_patiently([&] { return put_shared(event, size, data, data_size, without_room(event)); });
}

// The first part begins with the event's header; they follow each other without others of this thread.
void Stream::append_in_parts(const void* event, size_t size, const void* data, size_t data_size) {
    uint64_t clock = ovni_format_clock(static_cast<const uint8_t*>(event));
    const auto* bytes = static_cast<const uint8_t*>(data);
    std::vector<uint8_t> part(static_cast<const uint8_t*>(event), static_cast<const uint8_t*>(event) + size);
    window_->head += size + data_size;
    window_->last = std::max(window_->last, clock);
    for (size_t at = 0; at < data_size; part.clear()) {
        size_t count = std::min(largest_part - part.size(), data_size - at);
        part.insert(part.end(), bytes + at, bytes + at + count);
        at += count;
        EventCode code = at < data_size ? record_is_part : record_is_last_part;
        if (!put_patiently([&] { return producer_->emit_jumbo(code, clock, part, NoRoom::needed); })) return;
    }
}

bool Stream::put_note(const Gap& gap) {
    RingNote note{0, gap.from, gap.to, gap.lost, {}};
    memcpy(note.reason, gap.reason.data(), std::min(gap.reason.size(), sizeof note.reason));
    std::span<const uint8_t> bytes{reinterpret_cast<const uint8_t*>(&note), sizeof note};
    return put_patiently(
        [&] { return producer_->emit_jumbo(record_is_note, gap.from, bytes, NoRoom::needed); });
}

// Any thread may close the stream, also while its own emits.
void Stream::end_shared() {
    header().lost_unmarked.store(producer_->take_lost(), std::memory_order_relaxed);
    header().shared_end.store(shared_reserved(), std::memory_order_release);
}

uint64_t Stream::shared_reserved() const {
    return host().shared()->header().reserved.load(std::memory_order_acquire);
}

}  // namespace ovni::writer
