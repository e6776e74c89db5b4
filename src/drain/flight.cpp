#include "drain/flight.hpp"

#include <algorithm>

#include "ovni/format.h"
#include "ring/event.hpp"

namespace ovni::writer {

// There is room for so many notes only; the newest half of them stay.
uint64_t kept_from(const RingHeader& header, const RingProgress& progress, uint64_t newest) {
    constexpr uint32_t half = RingHeader::most_notes / 2;
    uint64_t from = newest - std::min(newest, header.kept);
    uint32_t notes = header.notes_added.load(std::memory_order_acquire);
    if (notes - progress.notes_taken > half)
        from = std::clamp(header.notes[(notes - half) % RingHeader::most_notes].position, from, newest);
    return from;
}

namespace {

void skip(Skipped& skipped, uint64_t from, uint64_t to, uint64_t events) {
    skipped.from = skipped.to == 0 ? from : std::min(skipped.from, from);
    skipped.to = std::max(skipped.to, to);
    skipped.events += events;
}

}  // namespace

void skip(Skipped& skipped, const RingNote& note) {
    bool begins = note.to == UINT64_MAX, ends = note.from == note.to && note.lost == 0;
    if (begins) skipped.off_from = note.from;
    if (ends) skipped.off_from = 0;
    skip(skipped, note.from, begins ? note.from : note.to, note.lost);
}

void skip(Skipped& skipped, const Gap& gap) {
    const bool is_open = gap.to == UINT64_MAX;
    if (is_open) skipped.off_from = gap.from;
    if (!is_open || gap.lost > 0) skip(skipped, gap.from, is_open ? gap.from : gap.to, gap.lost);
}

std::vector<Gap> gaps_of(const Skipped& skipped, uint64_t offset, const char* reason) {
    std::vector<Gap> gaps;
    if (skipped.to > 0) gaps.push_back({offset, skipped.from, skipped.to, skipped.events, reason});
    if (skipped.off_from > 0) gaps.push_back({offset, skipped.off_from, UINT64_MAX, 0, "region"});
    return gaps;
}

Thinned thin_out(const EventPieces& events, uint64_t stream_end, Skipped skipped) {
    std::vector<uint8_t> all = whole(events);
    Thinned thinned;
    for (size_t at = 0; at < all.size();) {
        const uint8_t* event = all.data() + at;
        size_t size = ovni_format_event_size(event, all.size() - at);
        if (size == 0 || size > all.size() - at) break;  // damaged
        uint64_t clock = ovni_format_clock(event);
        at += size;
        if (!is_needed(event)) {
            skip(skipped, clock, clock, 1);
            continue;
        }
        for (Gap& gap : gaps_of(skipped, stream_end + thinned.needed.size()))
            thinned.gaps.push_back(std::move(gap));
        skipped = {};
        thinned.needed.insert(thinned.needed.end(), event, event + size);
    }
    thinned.skipped = skipped;
    return thinned;
}

}  // namespace ovni::writer
