#include "trace/merger.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.hpp"

namespace ovni {

namespace {

constexpr size_t fewest_entries = size_t{16} << 10;
constexpr size_t entries_per_stream = 32;
constexpr size_t largest_over_wanted = 4;
constexpr uint64_t bytes_per_entry = 64;    // of events in a window: more than any but a jumbo event has
constexpr size_t events_beside_others = 2;  // damage, a cut
constexpr uint32_t widest = UINT32_C(1) << 31;
constexpr int64_t first_of_all = std::numeric_limits<int64_t>::min();

int64_t add_saturated(int64_t a, uint32_t b) {
    int64_t sum = 0;
    return __builtin_add_overflow(a, int64_t{b}, &sum) ? std::numeric_limits<int64_t>::max() : sum;
}

}  // namespace

Merger::Merger(std::vector<StreamReader> readers) : readers_(std::move(readers)), heads_(readers_.size()) {
    std::sort(readers_.begin(), readers_.end(),
              [](const StreamReader& a, const StreamReader& b) { return a.index() < b.index(); });
    damage_.resize(readers_.size());
    wanted_ = std::max(fewest_entries, entries_per_stream * readers_.size());
    // Small traces need less; a window that does not fit is cut.
    capacity_ = std::min(largest_over_wanted * wanted_,
                         size() / OVNI_FORMAT_EVENT_HEADER + events_beside_others * readers_.size() + 1);
    entries_ = std::make_unique_for_overwrite<Entry[]>(capacity_);
    scratch_ = std::make_unique_for_overwrite<Entry[]>(capacity_);
    for (uint32_t i = 0; i < readers_.size(); ++i) {
        sources_.push_back(
            {readers_[i].memory(), readers_[i].clock_offset(), readers_[i].index(), readers_[i].sorts()});
        if (readers_[i].order() == ClockOrder::any) order_ = ClockOrder::any;
        heads_[i].key = first_of_all;
        advance(i);
    }
}

uint64_t Merger::size() const {
    uint64_t sum = 0;
    for (const StreamReader& reader : readers_) sum += reader.size();
    return sum;
}

void Merger::advance(uint32_t source) {
    Head& head = heads_[source];
    try {
        StreamReader& reader = readers_[source];
        if (reader.next())
            head.key = std::max(head.key, reader.event().clock);
        else
            head.state = Head::State::finished;
    } catch (const Error&) {
        head.state = Head::State::damaged;
        damage_[source] = std::current_exception();
    }
}

bool Merger::fill() {
    current_ = 0;
    entries_count_ = 0;
    if (!find_start()) return false;
    while (!decode_window()) {
        rewind();
        width_ /= 4;
    }
    for (const Saved& saved : saved_) sources_[saved.source].memory = readers_[saved.source].memory();
    if (saved_.size() > 1) sort();
    adapt_width();
    consumed_ = 0;
    for (const StreamReader& reader : readers_) consumed_ += reader.consumed();
    return true;
}

bool Merger::find_start() {
    bool found = false;
    start_ = std::numeric_limits<int64_t>::max();
    for (const Head& head : heads_) {
        if (head.state == Head::State::finished) continue;
        found = true;
        start_ = std::min(start_, head.key);
    }
    return found;
}

// False where the window does not fit into memory and can be made smaller. All entries of a window with one
// single clock value are in order as they are decoded, so such a window may be cut anywhere.
bool Merger::decode_window() {
    saved_.clear();
    specials_.clear();
    entries_count_ = 0;
    bytes_left_ = bytes_per_entry * capacity_;
    int64_t limit = add_saturated(start_, width_);
    for (uint32_t i = 0; i < heads_.size(); ++i) {
        if (heads_[i].state == Head::State::finished || heads_[i].key > limit) continue;
        __builtin_prefetch(readers_[std::min<size_t>(i + 1, readers_.size() - 1)].event().bytes);
        saved_.push_back({i, heads_[i], readers_[i].position()});
        readers_[i].hold();
        if (!decode(i, limit)) return width_ == 0;
        bytes_left_ -= std::min(bytes_left_, readers_[i].held_bytes());
    }
    return true;
}

// False where memory is full.
bool Merger::decode(uint32_t source, int64_t limit) {
    Head& head = heads_[source];
    if (readers_[source].is_plain() && head.state == Head::State::event) decode_plain(source, limit);
    while (head.key <= limit && head.state != Head::State::finished) {
        if (is_full(source)) return false;
        append(source);
        if (head.state == Head::State::damaged)
            head.state = Head::State::finished;
        else
            advance(source);
    }
    return true;
}

// A window has one event in any case.
bool Merger::is_full(uint32_t source) const {
    return entries_count_ == capacity_ || (entries_count_ > 0 && readers_[source].held_bytes() > bytes_left_);
}

void Merger::decode_plain(uint32_t source, int64_t limit) {
    Head& head = heads_[source];
    StreamReader& reader = readers_[source];
    Entry* out = entries_.get() + entries_count_;
    auto start = static_cast<uint64_t>(start_);
    try {
        bool more =
            reader.take(limit, capacity_ - entries_count_, bytes_left_, [&](int64_t clock, uint64_t offset) {
                *out++ = {static_cast<uint32_t>(static_cast<uint64_t>(clock) - start), source, offset};
            });
        if (!more) head.state = Head::State::finished;
    } catch (const Error&) {
        head.state = Head::State::damaged;
        damage_[source] = std::current_exception();
    }
    head.key = reader.event().clock;
    entries_count_ = static_cast<size_t>(out - entries_.get());
}

inline void Merger::append(uint32_t source) {
    const Head& head = heads_[source];
    const EventView& event = readers_[source].event();
    if (head.state == Head::State::damaged) [[unlikely]]
        return append_special(source, {{}, damage_[source], readers_[source].index()});
    if (event.kind != EventView::Kind::event) [[unlikely]]
        return append_special(source, {event, nullptr, event.stream});
    auto time = static_cast<uint32_t>(static_cast<uint64_t>(head.key) - static_cast<uint64_t>(start_));
    entries_[entries_count_++] = {time, source, readers_[source].position().at};
}

void Merger::append_special(uint32_t source, Special what) {
    auto time =
        static_cast<uint32_t>(static_cast<uint64_t>(heads_[source].key) - static_cast<uint64_t>(start_));
    entries_[entries_count_++] = {time, special, specials_.size()};
    specials_.push_back(std::move(what));
}

void Merger::rewind() {
    for (const Saved& saved : saved_) {
        heads_[saved.source] = saved.head;
        readers_[saved.source].seek(saved.position);
    }
}

void Merger::adapt_width() {
    if (entries_count_ < wanted_)
        width_ = width_ < widest / 2 ? 2 * width_ + 1 : widest;
    else if (entries_count_ > 2 * wanted_)
        width_ /= 2;
}

void Merger::sort() {
    constexpr size_t few = 64;
    if (entries_count_ <= few)
        insertion_sort();
    else
        radix_sort();
}

void Merger::insertion_sort() {
    for (size_t i = 1; i < entries_count_; ++i) {
        Entry entry = entries_[i];
        size_t at = i;
        for (; at > 0 && entries_[at - 1].time > entry.time; --at) entries_[at] = entries_[at - 1];
        entries_[at] = entry;
    }
}

// Least significant digit first; stable, so streams stay in the order in which they were decoded.
void Merger::radix_sort() {
    constexpr int digits = 3, bits = 11;
    constexpr uint32_t mask = (1u << bits) - 1;
    uint32_t places[digits][mask + 1] = {};
    for (size_t i = 0; i < entries_count_; ++i)
        for (int digit = 0; digit < digits; ++digit)
            ++places[digit][entries_[i].time >> (digit * bits) & mask];
    for (int digit = 0; digit < digits; ++digit) {
        int shift = digit * bits;
        uint32_t* place = places[digit];
        if (place[entries_[0].time >> shift & mask] == entries_count_) continue;
        uint32_t sum = 0;
        for (uint32_t i = 0; i <= mask; ++i) sum += std::exchange(place[i], sum);
        for (size_t i = 0; i < entries_count_; ++i) {
            Entry entry = entries_[i];
            scratch_[place[entry.time >> shift & mask]++] = entry;
        }
        std::swap(entries_, scratch_);
    }
}

const EventView* Merger::next_special(const Entry& entry) {
    const Special& what = specials_[entry.at];
    if (!what.damage) return &what.view;
    damaged_stream_ = what.stream;
    damaged_clock_ = start_ + entry.time;
    std::rethrow_exception(what.damage);
}

}  // namespace ovni
