// Settings of the writer, from environment variables that ovnirun sets by its options. Sizes are bytes; k, M
// and G stand for powers of 1024. An invalid value is reported once, and the default is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "ring/stream_form.hpp"

namespace ovni::writer {

enum class OnFull : uint8_t { block, discard };
// Each thread emits into its ring, or all threads of a process emit into one buffer.
enum class BufferMode : uint8_t { rings, shared };

// Parses a size such as "64k"; empty if the text is no size.
std::optional<size_t> parse_size(const char* text);

struct Settings {
    static constexpr size_t smallest_ring = size_t{256} << 10, largest_ring = size_t{16} << 20;
    static constexpr size_t rings_in_shared = 4;      // size of the shared buffer in rings
    static constexpr uint32_t seats_in_shared = 256;  // threads in it at a time; others emit into their rings
    static constexpr size_t smallest_flight = size_t{64} << 10, largest_flight = size_t{16} << 30;

    // OVNI_BUFFER: per thread. By default the largest event of the C API fits.
    size_t ring = (size_t{2} << 20) + 4096;
    size_t all_rings = 0;            // OVNI_BUFFER_TOTAL: per process; 0: depends on the free memory
    size_t flight = 0;               // OVNI_FLIGHT: bytes per thread kept in addition; 0: all are written
    size_t limit = 0;                // OVNI_LIMIT: bytes on disk per process; 0: no limit
    OnFull on_full = OnFull::block;  // OVNI_ON_FULL
    BufferMode mode = BufferMode::rings;  // OVNI_BUFFER_MODE
    StreamForm form = StreamForm::plain;  // OVNI_STREAM
    // OVNI_FLUSH_AGE, seconds: how long events wait for others that fill a block of a packed stream; ns.
    uint64_t flush_age = 10'000'000'000;

    static Settings from_environment();
};

}  // namespace ovni::writer
