// stream.gaps.json: where a stream has no events although the program went on, because recording was paused
// or events were dropped:
//     {"gaps": [{"offset": n, "from": n, "to": n, "lost": n, "reason": "paused"}]}
// `offset` is that of the event behind the gap, `from` and `to` are raw clocks. `to` is absent where the gap
// lasts to the end of the stream; `lost` and `reason` may be absent.
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
