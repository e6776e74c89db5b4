// The forms of stream.obs.
#pragma once

#include <cstdint>

namespace ovni::writer {

// plain: events as in ovni/format.h, which the tools of ovni 1 read. packed: blocks as in ovni/packed.h.
enum class StreamForm : uint32_t { plain, packed };

}  // namespace ovni::writer
