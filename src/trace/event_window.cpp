#include "trace/event_window.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/error.hpp"
#include "base/prefetch.hpp"

namespace ovni {

namespace {

constexpr size_t fewest_entries = size_t{16} << 10;
constexpr size_t entries_per_stream = 16;
// The events of a few streams stay in the cache by themselves.
constexpr size_t many_streams = 128;
constexpr size_t largest_over_wanted = 4;
// More bytes than any event but a jumbo one has. The bytes before the last event of a source are fewer than
// this for the whole window, so they count in 32 bits.
constexpr uint64_t bytes_per_entry = 64;
constexpr size_t events_beside_others = 2;  // damage, a cut
constexpr int64_t first_of_all = std::numeric_limits<int64_t>::min();

uint32_t code_of(const uint8_t* event) {
    return EventCode::from_bytes(event + OVNI_FORMAT_CODE_AT).bits();
}

int64_t add_saturated(int64_t a, uint32_t b) {
    int64_t sum = 0;
    return __builtin_add_overflow(a, int64_t{b}, &sum) ? std::numeric_limits<int64_t>::max() : sum;
}

}  // namespace

EventWindow::EventWindow(std::vector<StreamReader> readers)
    : readers_(std::move(readers)), heads_(readers_.size()), damage_(readers_.size()) {
    std::ranges::sort(readers_, {}, &StreamReader::index);
    wanted_ = std::max(fewest_entries, entries_per_stream * readers_.size());
    // Small traces need less; a window that does not fit is made smaller.
    capacity_ = std::min(largest_over_wanted * wanted_,
                         size() / OVNI_FORMAT_EVENT_HEADER + events_beside_others * readers_.size() + 1);
    make_room();
    for (uint32_t i = 0; i < readers_.size(); ++i) {
        heads_[i].key = first_of_all;
        advance(i);
        readers_[i].hold();
    }
}

void EventWindow::make_room() {
    entries_ = make_huge_array<Entry>(capacity_);
    if (readers_.size() >= many_streams) copies_ = make_huge_array<Copy>(capacity_);
}

uint64_t EventWindow::size() const {
    uint64_t sum = 0;
    for (const StreamReader& reader : readers_) sum += reader.size();
    return sum;
}

uint64_t EventWindow::consumed() const {
    uint64_t sum = 0;
    for (const StreamReader& reader : readers_) sum += reader.consumed();
    return sum;
}

void EventWindow::advance(uint32_t source) {
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

std::optional<int64_t> EventWindow::next_start() const {
    std::optional<int64_t> start;
    for (const Head& head : heads_)
        if (head.state != Head::State::finished) start = std::min(start.value_or(head.key), head.key);
    return start;
}

// Each event says where the next one is, so a processor cannot load ahead by itself. A stream likely has as
// many bytes in this window as in the last one.
void EventWindow::fetch_ahead(uint32_t source) const {
    constexpr uint32_t reader_distance = 4, distance = 2;
    constexpr uint64_t line = 64, most_lines = 32;
    const size_t count = readers_.size();
    if (source + reader_distance < count) {
        const auto* reader = reinterpret_cast<const uint8_t*>(&readers_[source + reader_distance]);
        for (uint64_t at = 0; at < sizeof(StreamReader); at += line) prefetch(reader + at);
    }
    if (source + distance >= count) return;
    const StreamReader& next = readers_[source + distance];
    if (!next.event().bytes) return;
    const uint64_t lines = std::min(next.held_bytes() / line + 1, most_lines);
    for (uint64_t i = 0; i < lines; ++i) prefetch(next.event().bytes + line * i);
}

bool EventWindow::decode(int64_t start, uint32_t width) {
    saved_.clear();
    specials_.clear();
    count_ = 0;
    start_ = start;
    bytes_left_ = bytes_per_entry * capacity_;
    int64_t limit = add_saturated(start, width);
    for (uint32_t i = 0; i < heads_.size(); ++i) {
        if (heads_[i].state == Head::State::finished || heads_[i].key > limit) continue;
        fetch_ahead(i);
        saved_.push_back({i, static_cast<uint32_t>(count_), heads_[i], readers_[i].position()});
        readers_[i].hold();
        if (!decode_source(i, limit)) return false;
        bytes_left_ -= std::min(bytes_left_, readers_[i].held_bytes());
    }
    return true;
}

// A window has at least one event.
bool EventWindow::is_full(uint32_t source) const {
    return count_ == capacity_ || (count_ > 0 && readers_[source].held_bytes() > bytes_left_);
}

// False if memory is full.
bool EventWindow::decode_source(uint32_t source, int64_t limit) {
    Head& head = heads_[source];
    StreamReader& reader = readers_[source];
    while (head.key <= limit && head.state != Head::State::finished) {
        if (is_full(source)) return false;
        if (reader.is_plain() && head.state == Head::State::event && reader.event().clock == head.key) {
            decode_plain(source, limit);
            continue;
        }
        append(source);
        if (head.state == Head::State::damaged)
            head.state = Head::State::finished;
        else
            advance(source);
    }
    return true;
}

// Entry::at of the event that becomes the entry `index`.
inline uint32_t EventWindow::place(uint32_t at, const uint8_t* bytes, size_t index) {
    if (!copies_) return at;
    Copy& copy = copies_[index];
    copy.at = at;
    std::memcpy(copy.bytes, bytes, sizeof copy.bytes);
    return static_cast<uint32_t>(index);
}

void EventWindow::decode_plain(uint32_t source, int64_t limit) {
    Head& head = heads_[source];
    StreamReader& reader = readers_[source];
    Entry* out = entries_.get() + count_;
    auto start = static_cast<uint64_t>(start_);
    try {
        const uint64_t held = reader.held();
        auto taker = [&](int64_t clock, uint64_t at, const uint8_t* bytes) {
            const auto index = static_cast<size_t>(out - entries_.get());
            *out++ = {static_cast<uint32_t>(static_cast<uint64_t>(clock) - start), source,
                      place(static_cast<uint32_t>(at - held), bytes, index), code_of(bytes)};
        };
        bool more = reader.take(limit, capacity_ - count_, bytes_left_, taker);
        if (!more) head.state = Head::State::finished;
    } catch (const Error&) {
        head.state = Head::State::damaged;
        damage_[source] = std::current_exception();
    }
    int64_t last = static_cast<int64_t>(start + out[-1].time);  // at least one was taken
    head.key = std::max(last, reader.event().clock);
    count_ = static_cast<size_t>(out - entries_.get());
}

inline void EventWindow::append(uint32_t source) {
    const Head& head = heads_[source];
    const EventView& event = readers_[source].event();
    if (head.state == Head::State::damaged) [[unlikely]]
        return append_special(source, {{}, damage_[source], readers_[source].index()});
    if (event.kind != EventView::Kind::event) [[unlikely]]
        return append_special(source, {event, nullptr, event.stream});
    auto time = static_cast<uint32_t>(static_cast<uint64_t>(head.key) - static_cast<uint64_t>(start_));
    const StreamReader& reader = readers_[source];
    const auto at = static_cast<uint32_t>(reader.position().at - reader.held());
    entries_[count_] = {time, source, place(at, event.bytes, count_), event.code.bits()};
    ++count_;
}

void EventWindow::append_special(uint32_t source, Special what) {
    auto time =
        static_cast<uint32_t>(static_cast<uint64_t>(heads_[source].key) - static_cast<uint64_t>(start_));
    entries_[count_++] = {time, special, static_cast<uint32_t>(specials_.size()), 0};
    specials_.push_back(std::move(what));
}

void EventWindow::rewind() {
    for (const Saved& saved : saved_) {
        heads_[saved.source] = saved.head;
        readers_[saved.source].seek(saved.position);
    }
    count_ = 0;
}

void EventWindow::grow() {
    capacity_ *= 2;
    make_room();
}

std::vector<EventWindow::Run> EventWindow::runs() const {
    std::vector<Run> runs;
    for (const Saved& saved : saved_) {
        if (!runs.empty()) runs.back().end = saved.begin;
        runs.push_back({saved.source, saved.begin, static_cast<uint32_t>(count_)});
    }
    return runs;
}

ClockRuns EventWindow::clocks() {
    ClockRuns clocks;
    clocks.counts.resize(readers_.size());
    clocks.times.reserve(count_);
    for (const Run& run : runs()) {
        size_t before = clocks.times.size();
        for (uint32_t i = run.begin; i < run.end; ++i)
            if (entries_[i].source != special) clocks.times.push_back(entries_[i].time);
        clocks.counts[run.source] = static_cast<uint32_t>(clocks.times.size() - before);
    }
    clocks.next = next_clocks();
    return clocks;
}

std::vector<int64_t> EventWindow::next_clocks() {
    std::vector<int64_t> next(readers_.size());
    for (uint32_t i = 0; i < readers_.size(); ++i) next[i] = next_clock(i);
    return next;
}

// The clock of the next event, past gaps.
int64_t EventWindow::next_clock(uint32_t source) {
    if (heads_[source].state != Head::State::event) return ClockRuns::no_clock;
    StreamReader& reader = readers_[source];
    if (reader.event().kind == EventView::Kind::event) return heads_[source].key;
    StreamReader::Position here = reader.position();
    int64_t clock = ClockRuns::no_clock;
    try {
        while (clock == ClockRuns::no_clock && reader.next())
            if (reader.event().kind == EventView::Kind::event) clock = reader.event().clock;
    } catch (const Error&) {
        // The error is reported when the reader gets there.
    }
    reader.seek(here);
    return clock;
}

}  // namespace ovni
