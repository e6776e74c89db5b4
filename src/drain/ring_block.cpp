#include "drain/ring_block.hpp"

#include <algorithm>
#include <cstring>

#include "ovni/format.h"

namespace ovni::writer {
namespace {

// An event of a handler, as it lies in a nested ring behind its position.
struct NestedEvent {
    uint64_t position, clock;
    std::vector<uint8_t> bytes;
};

// A letter, digit or sign for each of model, category and value, and no flag that there is not.
bool looks_like_event(const uint8_t* event) {
    constexpr uint32_t ones = 0x010101, unknown_flags = 0xe0;
    uint32_t word = ovni_format_load_u32(event), code = word >> 8;
    bool is_text = (((code + ones) | code) & 0x80 * ones) == 0 && ((code >> 5 | code >> 6) & ones) == ones;
    return is_text && (word & unknown_flags) == 0;
}

void copy_wrapped(const uint8_t* data, uint64_t capacity, uint64_t position, void* to, size_t bytes) {
    if (bytes == 0) return;
    size_t begin = position % capacity, first = std::min<size_t>(bytes, capacity - begin);
    memcpy(to, data + begin, first);
    memcpy(static_cast<uint8_t*>(to) + first, data, bytes - first);
}

// Sorts by position, then by clock: handlers may have interrupted each other.
std::vector<NestedEvent> take_nested(const Ring& ring, RingProgress& progress, uint64_t end, bool all) {
    std::vector<NestedEvent> events;
    for (uint32_t d = 0; d < RingHeader::nested_rings; ++d) {
        uint64_t published = ring.header().nested[d].published.load(std::memory_order_acquire);
        for (uint64_t& at = progress.nested_drained[d]; at < published;) {
            NestedEvent event{};
            uint8_t bytes[OVNI_FORMAT_EVENT_MAX];
            auto take = [&](uint64_t from, void* to, size_t size) {
                copy_wrapped(ring.nested_data(d), ring.nested_capacity(), from, to, size);
            };
            take(at, &event.position, sizeof event.position);
            if (event.position > end || (event.position == end && !all)) break;
            take(at + sizeof event.position, bytes, sizeof bytes);
            uint64_t size = ovni_format_event_size(bytes, sizeof bytes);
            if (size == 0 || size > sizeof bytes) {  // damaged
                at = published;
                break;
            }
            event.clock = ovni_format_clock(bytes);
            event.bytes.assign(bytes, bytes + size);
            at += sizeof event.position + size;
            events.push_back(std::move(event));
        }
    }
    std::ranges::stable_sort(events, [](const NestedEvent& a, const NestedEvent& b) {
        return a.position != b.position ? a.position < b.position : a.clock < b.clock;
    });
    return events;
}

// An event of a handler goes before or behind the event that it interrupted, by their clocks.
void merge_nested(const Ring& ring, RingBlock& block, uint64_t begin, uint64_t end, bool all) {
    std::vector<NestedEvent> events = take_nested(ring, block.after, end, all);
    if (events.empty()) return;
    for (const NestedEvent& event : events)
        block.after.last_of_handlers = std::max(block.after.last_of_handlers, event.clock);
    std::vector<uint8_t> main = copy_events(ring, begin, end);
    auto next = events.begin();
    auto put = [&](const uint8_t* bytes, size_t size) {
        block.merged.insert(block.merged.end(), bytes, bytes + size);
    };
    for (size_t at = 0; at < main.size();) {
        const uint8_t* event = main.data() + at;
        uint64_t size = ovni_format_event_size(event, main.size() - at), clock = ovni_format_clock(event);
        if (size == 0 || size > main.size() - at) break;  // damaged
        uint64_t before = block.merged.size();
        for (; next != events.end() && next->position <= begin + at && next->clock < clock; ++next)
            put(next->bytes.data(), next->bytes.size());
        put(event, size);
        for (; next != events.end() && next->position <= begin + at; ++next)
            put(next->bytes.data(), next->bytes.size());
        at += size;
        if (uint64_t bytes = block.merged.size() - before - size; bytes > 0)
            block.inserted.push_back({begin + at, bytes});
    }
    for (; next != events.end(); ++next) put(next->bytes.data(), next->bytes.size());
}

}  // namespace

// Events that handlers lost have their place behind the event that the first of them interrupted, once that
// is there. It is an instant: around it the events of the thread itself are all there.
std::vector<RingNote> take_notes(const Ring& ring, const RingProgress& before, bool all,
                                 RingProgress& after) {
    std::vector<RingNote> notes;
    const RingHeader& header = ring.header();
    uint32_t added = header.notes_added.load(std::memory_order_acquire);
    for (; after.notes_taken != added; ++after.notes_taken) {
        const RingNote& note = header.notes[after.notes_taken % RingHeader::most_notes];
        if (note.position > after.drained) break;
        notes.push_back(note);
    }
    for (uint32_t d = 0; d < RingHeader::nested_rings; ++d) {
        const NestedRing& nested = header.nested[d];
        uint64_t lost = nested.lost.load(std::memory_order_acquire),
                 recorded = before.nested_lost_recorded[d];
        uint64_t at = std::max(nested.lost_at.load(std::memory_order_relaxed), before.drained);
        bool is_there = at < after.drained;
        if (lost == recorded || (!is_there && !all)) continue;
        uint64_t position = is_there ? end_of_event(ring, at, at + 1) : after.drained;
        uint64_t clock = nested.lost_from.load(std::memory_order_relaxed);
        notes.push_back({position, clock, clock, lost - recorded, "handlers"});
        after.nested_lost_recorded[d] = lost;
    }
    std::ranges::stable_sort(notes, {}, &RingNote::position);
    return notes;
}

uint64_t RingBlock::distance_to(uint64_t position) const {
    uint64_t distance = std::max(position, begin) - begin;
    for (const Inserted& events : inserted)
        if (events.position <= position) distance += events.bytes;
    return std::min(distance, bytes.bytes());
}

std::vector<uint8_t> copy_events(const Ring& ring, uint64_t begin, uint64_t end) {
    std::vector<uint8_t> bytes(end - begin);
    copy_wrapped(ring.data(), ring.capacity(), begin, bytes.data(), bytes.size());
    return bytes;
}

// One that lies in one piece costs a look at its first bytes: as most events are as large as the one before,
// the processor need not wait for what it reads to go on.
uint64_t end_of_sound_events(const Ring& ring, uint64_t begin, uint64_t end) {
    uint64_t at = begin;
    while (at < end) {
        const uint8_t* memory = ring.at(at);
        uint64_t bytes = std::min(ring.contiguous(at), end - at), from = at;
        uint32_t flags = UINT32_MAX, size = 0;
        for (uint64_t here = 0; here + OVNI_FORMAT_EVENT_MAX <= bytes; here += size, at = from + here) {
            const uint8_t* event = memory + here;
            if (!looks_like_event(event)) return at;
            if (__builtin_expect(*event == flags, 1)) continue;
            flags = *event;
            size = OVNI_FORMAT_EVENT_HEADER + ovni_format_payload(*event);
            if (ovni_format_is_jumbo(*event)) break;
        }
        if (at == end) break;
        // A jumbo event, or one at the end of a piece.
        uint8_t copy[OVNI_FORMAT_EVENT_MAX]{};
        copy_wrapped(ring.data(), ring.capacity(), at, copy, std::min<uint64_t>(sizeof copy, end - at));
        uint64_t whole = looks_like_event(copy) ? ovni_format_event_size(copy, end - at) : 0;
        if (whole == 0 || whole > end - at) break;
        at += whole;
    }
    return at;
}

uint64_t end_of_event(const Ring& ring, uint64_t begin, uint64_t target) {
    uint64_t published = ring.header().published.load(std::memory_order_acquire);
    std::vector<uint8_t> bytes =
        copy_events(ring, begin, std::min(published, target + OVNI_FORMAT_EVENT_MAX));
    uint64_t end = begin;
    while (end < target) {
        uint64_t rest = bytes.size() - (end - begin);
        uint64_t size = ovni_format_event_size(bytes.data() + (end - begin), rest);
        if (size == 0 || size > published - end) break;  // damaged
        end += size;
    }
    return end;
}

RingBlock next_block(const Ring& ring, const RingProgress& before, uint64_t end, bool all) {
    RingBlock block;
    block.after = before;
    uint64_t begin = block.begin = before.drained;
    bool nested = false;
    for (uint32_t d = 0; d < RingHeader::nested_rings; ++d)
        nested |=
            ring.header().nested[d].published.load(std::memory_order_acquire) > before.nested_drained[d];
    if (end > begin) {
        block.after.last_block = begin;
        block.after.last_of_handlers = 0;
    }
    if (nested) merge_nested(ring, block, begin, end, all);
    if (block.merged.empty()) {
        uint64_t first = std::min(end - begin, ring.contiguous(begin));
        block.bytes = {ring.at(begin), first, ring.data(), end - begin - first};
    } else {
        block.bytes = {block.merged.data(), block.merged.size()};
    }
    block.after.drained = end;
    return block;
}

}  // namespace ovni::writer
