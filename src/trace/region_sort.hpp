// Sorts the unsorted regions (region_plan.hpp) of a stream in its file: every range is written back to its
// place. A packed stream is written anew, and replaces the file when it is whole.
#pragma once

#include <cstdint>
#include <filesystem>

#include "trace/region_plan.hpp"

namespace ovni {

struct SortedRegions {
    uint64_t sorted = 0, empty = 0;
    enum class File : uint8_t { as_it_was, rewritten } file = File::as_it_was;
};

// Sorts the regions of the stream in `directory`; opens the file for writing only if something moves. Gaps of
// the stream (stream.gaps.json) that lie in a sorted range are moved along. Checksums (stream.crc) are
// compared before anything is written and renewed afterwards; meanwhile they are the older file. Throws Error
// for a damaged stream, and if a region belongs before the `look_back` - 1 events that are kept.
SortedRegions sort_regions(const std::filesystem::path& directory, uint64_t look_back = default_look_back);

// Reports every event whose clock is below that of its predecessor as an error on stderr; returns how many.
uint64_t report_disorder(const std::filesystem::path& directory);

}  // namespace ovni
