// stream.gaps.json: the times without events although the program went on, as recording was paused or events
// were dropped:
//     {"gaps": [{"offset": n, "from": n, "to": n, "lost": n, "reason": "paused"}]}
// `from` and `to` are raw clocks, `offset` is that of the first event behind `from`. The gap ends before the
// first event at `to` or later, so events that are never paused (the life cycle, definitions) may lie inside.
// `to` is absent if the gap lasts to the end of the stream; `lost` and `reason` may be absent.
#pragma once

#include <filesystem>
#include <vector>

#include "trace/event_view.hpp"

namespace ovni {

// The gaps of the stream in `directory` in file order; none if there is no such file. Throws Error if the
// file is damaged, offsets decrease, a gap ends before it begins, or one begins before another has ended.
std::vector<Gap> read_gaps(const std::string& directory);

void write_gaps(const std::filesystem::path& directory, const std::vector<Gap>& gaps);

}  // namespace ovni
