// Unsorted regions of a stream. Between OU[ and OU] there may be events that are older than those before the
// region (a runtime that only later learns when something happened). Their clocks give their places: at an
// OU] everything from the last event older than the whole region up to the OU] is sorted stably by clock. The
// OU] stays, the OU[ usually ends up right before it. Gaps that lie in the range move along.
//
// This header finds the ranges to sort, and sorts bytes in memory; region_sort sorts them in the file, and
// StreamReader while reading.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trace/event_view.hpp"

namespace ovni {

// How many events are searched backwards for the place of a region's oldest event.
inline constexpr uint64_t default_look_back = 1'000'000;

// Offsets in a file, both at the beginning of an event.
struct ByteRange {
    uint64_t begin = 0, end = 0;
    friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

// Sees the events of a stream in file order and says which bytes have to be sorted.
class RegionFinder {
 public:
    // `path` is named in errors.
    RegionFinder(std::string path, std::vector<Gap> gaps, uint64_t look_back)
        : path_(std::move(path)), gaps_(std::move(gaps)), most_before_(look_back - 1) {}

    // The bytes to sort, once all earlier ranges are sorted, if this event ends a region and anything moves.
    // Throws Error if the region belongs before the look_back - 1 events that are kept.
    std::optional<ByteRange> see(int64_t raw_clock, EventCode code, uint64_t offset);

    // The gaps once all ranges so far are sorted.
    const std::vector<Gap>& gaps() const { return gaps_; }
    uint64_t sorted() const { return sorted_; }  // regions, also those that were in order
    uint64_t empty() const { return empty_; }    // regions

 private:
    enum class Phase : uint8_t { outside, just_begun, inside };
    struct Placed {
        int64_t clock;
        uint64_t offset;
    };

    size_t find_start(uint64_t end) const;
    std::optional<ByteRange> sort_before(uint64_t end);
    void move_gaps(size_t start, uint64_t end);

    std::string path_;
    std::vector<Gap> gaps_;
    uint64_t most_before_;
    std::deque<Placed> before_;  // the events before the current one, as they lie once they are sorted
    Phase phase_ = Phase::outside;
    int64_t oldest_ = 0;  // clock of the oldest event in the region
    uint64_t sorted_ = 0, empty_ = 0;
};

// How a stream has to be sorted: range after range, in the order of their beginnings and of their ends, which
// may overlap. A region that reaches back before an earlier one takes its place, as a stable sort of a part
// does not change the stable sort of the whole.
struct RegionPlan {
    std::vector<ByteRange> ranges;
    std::vector<Gap> gaps;  // of the sorted stream
    uint64_t sorted = 0;    // regions, also those that were in order
    uint64_t empty = 0;     // regions
};

// Reads the stream in `directory` up to its end or damage. Throws as RegionFinder does, and if there is no
// stream.
RegionPlan plan_regions(const std::filesystem::path& directory, size_t block,
                        uint64_t look_back = default_look_back);

// An event of sorted bytes: its present and its former place.
struct MovedEvent {
    uint64_t now = 0, before = 0;
};

// Sorts whole events stably by their clocks. The result is in the new order, its offsets count from `bytes`;
// nothing if `bytes` are not whole events.
std::optional<std::vector<MovedEvent>> sort_events(std::span<uint8_t> bytes);

}  // namespace ovni
