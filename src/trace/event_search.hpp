// Finds events of some codes in a stream by their bytes, which is many times as fast as going from event to
// event. It finds too many: other bytes may look like such an event.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "ovni/event_code.hpp"

namespace ovni {

using SearchedCodes = std::array<EventCode, 3>;

// True if these bytes are wanted. Receives what may be an event from its first byte on: OVNI_FORMAT_EVENT_MAX
// bytes or more, or all that are left of the file.
using IsWanted = std::function<bool(std::span<const uint8_t> bytes)>;

// The offset of the first one that is wanted, at `from` or behind it, in the stream `path`; nothing if there
// is none. Blocks of `block` bytes or a little more are read. Throws Error if the file cannot be read.
std::optional<uint64_t> search_event(const std::string& path, size_t block, uint64_t from,
                                     const SearchedCodes& codes, const IsWanted& is_wanted);

}  // namespace ovni
