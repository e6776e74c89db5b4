#include "runtime/ring_writer.hpp"

#include <algorithm>
#include <cstring>

#include "ring/event.hpp"

namespace ovni::writer {
namespace {

// Reserved for needed events while there is no drainer; holds fewer events than there are notes.
constexpr uint64_t kept_free = 4096;

}  // namespace

// The handler of a fault may come between two steps: it finds no room, and its events go into a nested ring.
void RingWriter::append(const void* event, size_t size, const void* data, size_t data_size) {
    if (own_.is_mapped()) own_.set_limit(0);
    if (own_.is_small()) place_.leave_small_ring();
    if (shared_.is_used()) return shared_.append(event, size, data, data_size);
    bool needed = is_needed(event) || all_needed_,
         may_be_lost = host().settings().on_full == OnFull::discard && !needed;
    uint64_t room = size + data_size + (needed ? 0 : kept_free);
    bool fits = own_.is_mapped() && make_room(room, may_be_lost) && settle_discarded();
    if (!fits) return discard(event);
    own_.store(event, size);
    if (data_size > 0) own_.store(data, data_size);
    own_.follow_clock(ovni_format_clock(static_cast<const uint8_t*>(event)));
    own_.publish();
}

// The thread comes here at the end of the data, in a full ring, and in one that becomes half full, which
// wakes the drainer.
void RingWriter::refresh_limit() {
    if (!own_.is_mapped()) return;
    if (shared_.is_used()) return own_.set_limit(0);
    const Ring& ring = own_.ring();
    const RingHeader& header = own_.header();
    uint64_t capacity = ring.capacity(), drained = header.drained.load(std::memory_order_acquire),
             head = own_.head();
    uint64_t half = drained + header.kept + (capacity - header.kept) / 2;
    uint64_t limit =
        std::min(drained + capacity - OwnRing::slack - kept_free, (head / capacity + 1) * capacity);
    own_.window()->data = reinterpret_cast<uint8_t*>(reinterpret_cast<uintptr_t>(ring.at(head)) - head);
    if (head < half)
        limit = std::min(limit, half);
    else
        host().wake();
    // A loss is noted before the next event, and a small ring is left before it, which therefore has to come
    // here.
    own_.set_limit(discarded_.events > 0 || postponed_ || ring.is_small() ? 0 : limit);
}

bool RingWriter::make_room(uint64_t bytes, bool may_be_lost) {
    uint64_t capacity = own_.ring().capacity();
    if (bytes + OwnRing::slack > capacity) return false;
    if (own_.has_room(bytes)) return true;
    place_.settle_at_last();
    // A large definition needs the room of what a flight recorder keeps.
    if (bytes + OwnRing::slack > capacity - own_.header().kept) ask_for(own_.header(), own_.head());
    if (may_be_lost || monotonic_clock() < next_attempt_) return own_.has_room(bytes);
    if (wait_for_room(bytes)) return true;
    next_attempt_ = monotonic_clock() + between_attempts;
    return false;
}

// Waits as long as there is a drainer and no signal wants to end the program: a file system may hang for
// long. A drainer that is killed lets go of the run directory a moment later. A drainer that passes again and
// again without taking anything cannot write.
bool RingWriter::wait_for_room(uint64_t bytes) {
    const std::atomic<uint64_t>& position = own_.header().drained;
    uint64_t drained = position.load(std::memory_order_acquire), pass = host().last_pass();
    own_.header().needed.store(own_.room_for(bytes), std::memory_order_release);
    for (int passes = 0; !own_.has_room(bytes);) {
        if (end_is_wanted()) return false;
        host().wait_until_drained(own_.lease(), drained);
        uint64_t now = position.load(std::memory_order_acquire), latest = host().last_pass();
        if (now > drained)
            passes = 0;
        else if ((latest != pass || !host().is_served()) && ++passes == most_waits)
            return own_.has_room(bytes);
        drained = now;
        pass = latest;
    }
    return true;
}

void RingWriter::wait_until_drained(uint64_t position) {
    RingHeader& header = own_.header();
    ask_for(header, position);
    for (int waits = 0; waits < most_waits; ++waits) {
        uint64_t drained = header.drained.load(std::memory_order_acquire);
        if (has_been_tried(header, position)) return;
        host().wait_until_drained(own_.lease(), drained);
        if (header.drained.load(std::memory_order_acquire) > drained) waits = 0;
    }
}

void RingWriter::discard(const void* event) {
    if (!own_.is_mapped()) return host().count_lost(1);
    uint64_t clock = ovni_format_clock(static_cast<const uint8_t*>(event));
    ++own_.lost;
    own_.count_loss();
    if (discarded_.events++ == 0) discarded_.from = clock;
    discarded_.to = clock;
}

bool RingWriter::settle_discarded() {
    if (discarded_.events == 0) return true;
    const char* reason = host().settings().on_full == OnFull::discard ? "discarded" : "memory";
    if (!add_note({0, discarded_.from, discarded_.to, discarded_.events, reason})) return false;
    discarded_ = {};
    return true;
}

void RingWriter::settle_postponed() {
    if (postponed_ && own_.is_mapped() && add_note(*postponed_)) postponed_.reset();
}

void RingWriter::postpone(const Gap& gap) {
    if (postponed_)
        postponed_->to = gap.to, postponed_->lost += gap.lost;
    else
        postponed_ = gap;
    own_.set_limit(0);
}

void RingWriter::postpone_flush(uint64_t begin, uint64_t end) {
    flush_ = {begin, end};
    own_.set_limit(0);
}

void RingWriter::append_flush() {
    if (!flush_) return;
    Flush flush = *flush_;
    flush_.reset();
    for (const Event& event : {make_event("OF[", flush.begin), make_event("OF]", flush.end)})
        append(event.bytes, event.size);
    refresh_limit();
}

bool RingWriter::add_note(const Gap& gap) {
    if (shared_.is_used()) return shared_.put_note(gap);
    RingHeader& header = own_.header();
    uint32_t added = header.notes_added.load(std::memory_order_relaxed);
    if (added - header.notes_taken.load(std::memory_order_acquire) == RingHeader::most_notes) return false;
    header.notes[added % RingHeader::most_notes] = note_of(gap, own_.head());
    header.notes_added.store(added + 1, std::memory_order_release);
    return true;
}

bool RingWriter::has_room_for_notes(uint32_t notes) const {
    uint32_t there = own_.header().notes_added.load(std::memory_order_relaxed) -
                     own_.header().notes_taken.load(std::memory_order_acquire);
    return shared_.is_used() || there + notes <= RingHeader::most_notes;
}

// The drainer looks at no stream without events, and what a flight recorder keeps stays.
bool RingWriter::may_notes_be_taken() const {
    const RingHeader& header = own_.header();
    return header.kept == 0 && own_.head() > header.begin_bytes.load(std::memory_order_relaxed);
}

bool RingWriter::add_note_patiently(const Gap& gap, uint32_t notes) {
    settle_postponed();
    settle_discarded();
    bool waits = may_notes_be_taken() && monotonic_clock() >= next_note_attempt_;
    for (int i = 0; waits && i < most_waits && !has_room_for_notes(notes) && !end_is_wanted(); ++i) {
        uint32_t seen = own_.header().drained_blocks.load(std::memory_order_seq_cst);
        place_.settle_at_last();
        host().wait_for_drainer(own_.lease(), seen);
    }
    if (has_room_for_notes(notes)) return add_note(gap);
    if (waits) next_note_attempt_ = monotonic_clock() + between_attempts;
    return false;
}

}  // namespace ovni::writer
