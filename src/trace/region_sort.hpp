// Puts the events of unsorted regions where their clocks belong. Between OU[ and OU] a stream may hold events
// that are older than those before the region (a runtime that only later learns when something happened); the
// emulator needs clocks that never decrease, so such a stream is sorted first, in place.
//
// At an OU] everything from the last event older than the whole region up to the OU] is sorted stably by
// clock and written back to the same bytes. The OU] stays, the OU[ usually ends up right before it.
#pragma once

#include <cstdint>
#include <filesystem>

namespace ovni {

// Events to search backwards for the place where a region begins to belong.
inline constexpr uint64_t default_look_back = 1'000'000;

struct SortedRegions {
    uint64_t sorted = 0, empty = 0;
    enum class File : uint8_t { as_it_was, rewritten } file = File::as_it_was;
};

// Sorts the regions of the stream in `directory`; opens the file for writing only where something moves.
// Gaps of the stream (stream.gaps.json) that lie in a sorted range are moved along. Throws Error for a
// damaged stream, and where a region belongs before the `look_back` - 1 events that are kept.
SortedRegions sort_regions(const std::filesystem::path& directory, uint64_t look_back = default_look_back);

// Reports every event whose clock is below that of its predecessor as an error on stderr; returns how many.
uint64_t report_disorder(const std::filesystem::path& directory);

}  // namespace ovni
