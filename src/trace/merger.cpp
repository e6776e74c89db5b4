#include "trace/merger.hpp"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include "base/error.hpp"

namespace ovni {

Merger::Merger(std::vector<StreamReader> readers, EventOrder order)
    : window_(std::move(readers)),
      order_(order),
      replay_(order == EventOrder::exact ? window_.readers().size() : 0) {
    for (const StreamReader& reader : window_.readers()) {
        sources_.push_back({nullptr, 0, reader.index(), reader.sorts()});
        if (reader.order() == ClockOrder::any) clocks_ = ClockOrder::any;
    }
    make_room();
}

void Merger::make_room() {
    scratch_ = make_huge_array<Entry>(window_.capacity());
    if (order_ == EventOrder::canonical) return;
    orders_.resize(window_.capacity());
    cursors_.resize(sources_.size());
}

bool Merger::fill() {
    first_ = current_ = end_ = fetch_until_ = nullptr;
    std::optional<int64_t> start = window_.next_start();
    if (!start) return false;
    decode_window(*start);
    put_in_order();
    find_memory();
    consumed_ = window_.consumed();
    std::span<const Entry> entries = window_.entries();
    first_ = current_ = entries.data();
    end_ = first_ + entries.size();
    copies_ = window_.copies();
    fetch_until_ = copies_ && end_ - first_ > farthest ? end_ - farthest : nullptr;
    if (tie_counter_) count_window_ties();
    return true;
}

// Finds the memory in which the readers hold the events of the window.
void Merger::find_memory() {
    for (const EventWindow::Run& run : window_.runs()) {
        const StreamReader& reader = window_.readers()[run.source];
        StreamReader::Memory memory = reader.memory();
        sources_[run.source].bytes = memory.bytes + (reader.held() - memory.begin);
        sources_[run.source].offset = reader.held();
    }
}

// All entries of a window with one single clock value are in canonical order as they are decoded, so that
// such a window may be cut anywhere. In exact order it may not.
void Merger::decode_window(int64_t start) {
    start_ = start;
    while (!window_.decode(start, width_)) {
        if (width_ == 0 && order_ == EventOrder::canonical) break;
        window_.rewind();
        if (width_ == 0) {
            window_.grow();
            make_room();
        }
        width_ /= 4;
    }
    adapt_width();
}

void Merger::adapt_width() {
    size_t count = window_.entries().size();
    if (count < window_.wanted())
        width_ = width_ < EventWindow::widest / 2 ? 2 * width_ + 1 : EventWindow::widest;
    else if (count > 2 * window_.wanted())
        width_ /= 2;
}

void Merger::put_in_order() {
    if (order_ == EventOrder::canonical) return sort();
    if (window_.specials().empty()) return play();
    ties_ = Ties(start_);
    replay_.find_ties(window_.clocks(), ties_);
    sort();
    apply_ties();
}

// Plays the window in exact order: cheaper than sorting and looking for ties.
void Merger::play() {
    std::vector<uint32_t> after = HeapReplay::times_after(window_.next_clocks());
    std::ranges::fill(cursors_, Cursor{});
    for (const EventWindow::Run& run : window_.runs()) cursors_[run.source] = {run.begin, run.end};
    const Entry* entries = window_.entries().data();
    Cursor* cursors = cursors_.data();
    const uint32_t* times_after = after.data();
    auto time_of = [&](uint32_t source) {
        Cursor left = cursors[source];
        return left.at < left.end ? entries[left.at].time : times_after[source];
    };
    Entry* out = scratch_.get();
    uint32_t* order = orders_.data();
    uint32_t now = 0, place = first_place - 1;
    replay_.replay(time_of, [&](uint32_t source) {
        const Entry entry = entries[cursors[source].at++];
        place = entry.time == now ? place + 1 : first_place;
        now = entry.time;
        *out++ = entry;
        *order++ = place;
        return time_of(source);
    });
    window_.exchange(scratch_);
}

void Merger::sort() {
    constexpr size_t few = 64;
    if (window_.streams() <= 1) return;
    if (window_.entries().size() <= few)
        insertion_sort();
    else
        radix_sort();
}

void Merger::insertion_sort() {
    std::span<Entry> entries = window_.entries();
    for (size_t i = 1; i < entries.size(); ++i) {
        Entry entry = entries[i];
        size_t at = i;
        for (; at > 0 && entries[at - 1].time > entry.time; --at) entries[at] = entries[at - 1];
        entries[at] = entry;
    }
}

// Least significant digit first; stable, so streams stay in the order in which they were decoded.
void Merger::radix_sort() {
    constexpr int digits = 3, bits = 11;
    constexpr uint32_t mask = (1u << bits) - 1;
    uint32_t places[digits][mask + 1] = {};
    size_t count = window_.entries().size();
    for (const Entry& entry : window_.entries())
        for (int digit = 0; digit < digits; ++digit) ++places[digit][entry.time >> (digit * bits) & mask];
    for (int digit = 0; digit < digits; ++digit) {
        std::span<const Entry> entries = window_.entries();
        int shift = digit * bits;
        uint32_t* place = places[digit];
        if (place[entries[0].time >> shift & mask] == count) continue;
        uint32_t sum = 0;
        for (uint32_t i = 0; i <= mask; ++i) sum += std::exchange(place[i], sum);
        Entry* sorted = scratch_.get();
        for (const Entry& entry : entries) sorted[place[entry.time >> shift & mask]++] = entry;
        window_.exchange(scratch_);
    }
}

uint32_t Merger::stream_of(const Entry& entry) const {
    return entry.source == EventWindow::special ? window_.specials()[entry.at].stream
                                                : sources_[entry.source].stream;
}

// Changes canonical order to exact order.
void Merger::apply_ties() {
    std::span<const Entry> entries = window_.entries();
    for (size_t begin = 0; begin < entries.size();) {
        size_t end = begin + 1;
        while (end < entries.size() && entries[end].time == entries[begin].time) ++end;
        order_group(begin, end);
        begin = end;
    }
}

// Orders the entries of one time.
void Merger::order_group(size_t begin, size_t end) {
    std::span<Entry> entries = window_.entries();
    std::span<const uint32_t> places = ties_.at(start_ + entries[begin].time);
    size_t events = 0;
    for (size_t i = begin; i < end; ++i) {
        uint32_t stream = stream_of(entries[i]);
        if (entries[i].source != EventWindow::special) {
            orders_[i] = first_place + (places.empty() ? 0 : places[events++]);
        } else if (i > begin && stream_of(entries[i - 1]) == stream)
            orders_[i] = orders_[i - 1];
        else
            orders_[i] = stream;
    }
    if (end - begin == 1) return;
    std::vector<std::pair<uint32_t, Entry>> group;
    for (size_t i = begin; i < end; ++i) group.emplace_back(orders_[i], entries[i]);
    std::ranges::stable_sort(group, {}, &std::pair<uint32_t, Entry>::first);
    for (size_t i = begin; i < end; ++i) std::tie(orders_[i], entries[i]) = group[i - begin];
}

// Finds equal neighbours without branches, which a processor could only guess.
void Merger::count_window_ties() {
    if (first_ == end_) return;
    constexpr std::ptrdiff_t most = 64;
    uint64_t as_before = start_ + first_->time == last_clock_;
    for (const Entry* begin = first_; begin != end_;) {
        const std::ptrdiff_t count = std::min(most, end_ - begin);
        const std::ptrdiff_t pairs = std::min(count, end_ - begin - 1);
        uint64_t as_next = 0;
        for (std::ptrdiff_t i = 0; i < pairs; ++i)
            as_next |= uint64_t{begin[i].time == begin[i + 1].time} << i;
        for (uint64_t tied = as_next | as_next << 1 | as_before; tied != 0; tied &= tied - 1) {
            const Entry& entry = begin[std::countr_zero(tied)];
            if (entry.source != EventWindow::special)
                tie_counter_->add(start_ + entry.time, sources_[entry.source].stream);
        }
        as_before = as_next >> (most - 1);
        begin += count;
    }
    last_clock_ = start_ + end_[-1].time;
}

const EventView* Merger::next_special(const Entry& entry) {
    const EventWindow::Special& what = window_.specials()[entry.at];
    uint32_t order = order_ == EventOrder::canonical ? what.stream : orders_[index_of(entry)];
    if (!what.damage) {
        special_view_ = what.view;
        special_view_.order = order;
        return &special_view_;
    }
    damaged_stream_ = what.stream;
    damaged_order_ = order;
    damaged_clock_ = start_ + entry.time;
    std::rethrow_exception(what.damage);
}

}  // namespace ovni
