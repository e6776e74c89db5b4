// stream.gaps.json: where a stream has no events although the program went on, because recording was paused
// or events were dropped:
//     {"gaps": [{"offset": n, "from": n, "to": n, "lost": n, "reason": "paused"}]}
// `offset` is that of the first event behind `from`, which are raw clocks as `to` is; the gap ends before the
// first event of that clock or later, so what is never paused (the life cycle, definitions) may lie inside.
// `to` is absent where the gap lasts to the end of the stream; `lost` and `reason` may be absent.
#pragma once

#include <filesystem>
#include <vector>

#include "trace/event_view.hpp"

namespace ovni {

// The gaps of the stream in `directory` in file order; none where there is no such file. Throws Error where
// the file is damaged, offsets decrease, a gap ends before it begins or one begins before another has ended.
std::vector<Gap> read_gaps(const std::filesystem::path& directory);

void write_gaps(const std::filesystem::path& directory, const std::vector<Gap>& gaps);

}  // namespace ovni
