#include "trace/stream_reader.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

#include "base/error.hpp"
#include "trace/gaps.hpp"
#include "trace/packed_events.hpp"
#include "trace/stream_files.hpp"

namespace ovni {

namespace {

constexpr uint64_t to_the_file_end = std::numeric_limits<uint64_t>::max();

std::atomic<uint64_t> bytes_read{0};

}  // namespace

uint64_t bytes_read_of_streams() {
    return bytes_read.load(std::memory_order_relaxed);
}

StreamReader::StreamReader(StreamSource source)
    : source_(std::move(source)),
      checksums_(
          BlockChecker::open(source_.directory, source_.checksums, source_.until.value_or(to_the_file_end))),
      file_(file_in(source_.directory, events_name), source_.block, &bytes_read, packed_events),
      end_(file_.size()) {
    check_stream_header(end_, file_.bytes(0, file_.end()), path());
    if (checksums_) checksums_->see(file_.bytes(OVNI_FORMAT_STREAM_HEADER, file_.end()));
    gaps_ = source_.sort ? std::move(source_.sort->gaps) : read_gaps(source_.directory);
    if (source_.sort) ranges_ = std::move(source_.sort->ranges);
    if (source_.until) stop_at(*source_.until);
    plain_ = gaps_.empty() && !source_.ended_by_force;
    load(OVNI_FORMAT_EVENT_MAX);
    first_clock_ = find_first_clock();
}

// Ends the stream at `until`; events and gaps behind it are dropped.
void StreamReader::stop_at(uint64_t until) {
    end_ = std::min(end_, until);
    std::erase_if(gaps_, [&](const Gap& gap) { return gap.offset > end_; });
    std::erase_if(ranges_, [&](const ByteRange& range) { return range.end > end_; });
}

void StreamReader::load_next() {
    if (checksums_) checksums_->check(at_.next);
    load(OVNI_FORMAT_EVENT_MAX);
}

void StreamReader::check_what_was_read() {
    if (!checksums_) return;
    if (const auto block = checksums_->block(); block && block->begin < at_.at)
        read_up_to(std::min(held_, at_.next), std::min(end_, block->end));
    checksums_->check_blocks_before(at_.at);
}

const uint8_t* StreamReader::load(uint64_t size) {
    if (next_range_ < ranges_.size() && ranges_[next_range_].begin <= at_.next) sort_range();
    read_up_to(std::min(held_, at_.next), std::min(end_, at_.next + size));
    in_memory_ = file_.end() - std::min<uint64_t>(file_.end(), OVNI_FORMAT_EVENT_MAX);
    if (next_range_ < ranges_.size()) in_memory_ = std::min(in_memory_, ranges_[next_range_].begin - 1);
    if (checksums_) in_memory_ = std::min(in_memory_, checksums_->limit() - 1);
    return file_.at(at_.next);
}

// Checksums are of the bytes in the file, before any are sorted.
void StreamReader::read_up_to(uint64_t keep, uint64_t to) {
    uint64_t before = file_.end();
    file_.ensure(keep, to);
    end_ = std::min(end_, file_.size());
    if (checksums_) checksums_->see(file_.bytes(before, file_.end()));
}

void StreamReader::sort_range() {
    const ByteRange range = ranges_[next_range_];
    uint64_t keep = std::min(held_, at_.next);
    auto changed = [&] { return Error("the file was changed while it was read", path(), range.begin); };
    if (range.begin < at_.next || range.end > end_) throw changed();
    read_up_to(keep, range.end);
    if (file_.end() < range.end) throw changed();
    auto sorted = sort_events(file_.bytes(range.begin, range.end));
    if (!sorted) throw changed();
    for (MovedEvent& event : *sorted)
        event = {range.begin + event.now, offset_in_file(range.begin + event.before)};
    auto now = &MovedEvent::now;
    moved_.erase(std::ranges::lower_bound(moved_, range.begin, {}, now), moved_.end());
    moved_.erase(moved_.begin(), std::ranges::lower_bound(moved_, keep, {}, now));
    moved_.insert(moved_.end(), sorted->begin(), sorted->end());
    ++next_range_;
}

uint64_t StreamReader::offset_before(uint64_t at) const {
    auto found = std::ranges::lower_bound(moved_, at, {}, &MovedEvent::now);
    return found != moved_.end() && found->now == at ? found->before : at;
}

bool StreamReader::end_or_damage(uint64_t left, uint64_t size) const {
    if (left == 0) {
        const Error* fault = file_.fault();
        if (fault && end_ == file_.size() && end_ != source_.until) throw *fault;
        return false;
    }
    if (left < OVNI_FORMAT_EVENT_HEADER)
        damaged(fmt::format("incomplete event: {} bytes are left, its header alone has {}", left,
                            static_cast<int>(OVNI_FORMAT_EVENT_HEADER)));
    std::string code = EventCode::from_bytes(file_.at(at_.next) + OVNI_FORMAT_CODE_AT).text().data();
    for (char& c : code)
        if (c < ' ' || c > '~') c = '?';
    if (size == 0)
        damaged(
            fmt::format("incomplete event {}: {} bytes are left, without the size of its data", code, left));
    damaged(fmt::format("incomplete event {}: it has {} bytes, {} are left", code, size, left));
}

void StreamReader::wrong_clock() const {
    auto raw = static_cast<int64_t>(ovni_format_clock(file_.at(at_.next)));
    int64_t clock = 0;
    if (!source_.clock.correct(raw, clock))
        damaged(fmt::format("clock {} with the offset of its node is out of range", raw));
    if (at_.next == OVNI_FORMAT_STREAM_HEADER)
        damaged(fmt::format("the first event has the clock {}, below 0", clock));
    damaged(fmt::format("the clock goes back from {} to {} (see ovnisort)", at_.clock, clock));
}

// Throws an Error about the next event.
void StreamReader::damaged(std::string what) const {
    Error fault(std::move(what), path(), offset_in_file(at_.next));
    throw checksums_ ? explained(fault) : fault;
}

std::optional<int64_t> StreamReader::find_first_clock() const {
    const uint8_t* event = file_.at(OVNI_FORMAT_STREAM_HEADER);
    uint64_t left = end_ - OVNI_FORMAT_STREAM_HEADER;
    if (ovni_format_event_size(event, left) - 1 >= left) return std::nullopt;
    int64_t clock = source_.clock.corrected(static_cast<int64_t>(ovni_format_clock(event)));
    bool gap_first = !gaps_.empty() && gaps_.front().offset == OVNI_FORMAT_STREAM_HEADER;
    return gap_first ? std::min(clock, std::max(source_.clock.corrected(gaps_.front().from), int64_t{0}))
                     : clock;
}

bool StreamReader::next_of_kind() {
    return next_gap() || next_event() || cut();
}

bool StreamReader::next_gap() {
    if (at_.gap < gaps_.size()) {
        uint64_t offset = gaps_[at_.gap].offset;
        if (offset == at_.next)
            return (at_.open_gap && at_.open_gap->to != Gap::to_the_end) ? end_gap() : begin_gap();
        const char* fault = offset < at_.next  ? "the gap before byte {} is not at the beginning of an event"
                            : at_.next == end_ ? "the gap before byte {} lies behind the end of the stream"
                                               : nullptr;
        if (fault)
            throw Error(fmt::format(fmt::runtime(fault), offset), file_in(source_.directory, gaps_name));
    }
    return at_.open_gap && at_.open_gap->to != Gap::to_the_end &&
           end_ - at_.next >= OVNI_FORMAT_EVENT_HEADER &&
           static_cast<int64_t>(ovni_format_clock(file_.at(at_.next))) >= at_.open_gap->to && end_gap();
}

// A stream without events has nothing to cut. A stream that ends with a gap lasts to the gap's end.
bool StreamReader::cut() {
    if (!source_.ended_by_force || at_.was_cut || at_.next == OVNI_FORMAT_STREAM_HEADER) return false;
    if (at_.open_gap && at_.open_gap->to != Gap::to_the_end)
        at_.clock = std::max(source_.clock.corrected(at_.open_gap->to), at_.clock);
    if (source_.open_until) at_.clock = std::max(source_.clock.corrected(*source_.open_until), at_.clock);
    at_.at = at_.next;
    at_.event = {at_.clock, nullptr, nullptr, at_.next, source_.index, EventView::Kind::cut};
    at_.was_cut = true;
    return true;
}

// Clocks of gaps are kept between those of their neighbours, so that they never decrease.
bool StreamReader::begin_gap() {
    const Gap& gap = gaps_[at_.gap];
    int64_t clock = std::max(source_.clock.corrected(gap.from), at_.clock);
    if (end_ - at_.next >= OVNI_FORMAT_EVENT_HEADER) {
        auto raw = static_cast<int64_t>(ovni_format_clock(file_.at(at_.next)));
        clock = std::max(at_.clock, std::min(clock, source_.clock.corrected(raw)));
    }
    at_.at = at_.next;
    at_.event = {clock, nullptr, &gap, at_.next, source_.index, EventView::Kind::gap_begin};
    at_.clock = clock;
    at_.open_gap = &gap;
    ++at_.gap;
    return true;
}

bool StreamReader::end_gap() {
    int64_t clock = std::max(source_.clock.corrected(at_.open_gap->to), at_.clock);
    at_.at = at_.next;
    at_.event = {clock, nullptr, at_.open_gap, at_.next, source_.index, EventView::Kind::gap_end};
    at_.clock = clock;
    at_.open_gap = nullptr;
    return true;
}

}  // namespace ovni
