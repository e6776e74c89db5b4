// What the user says of the writer, by environment variables (which are options of ovnirun): sizes are bytes,
// with k, M or G behind them powers of 1024. What cannot be understood is told once and left at its default.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace ovni::writer {

enum class OnFull : uint8_t { block, discard };
// Where threads emit: each into a ring of its own, or all of a process into one buffer.
enum class BufferMode : uint8_t { rings, shared };

// A size as the user writes it; nothing where it is none.
std::optional<size_t> parse_size(const char* text);

struct Settings {
    static constexpr size_t smallest_ring = size_t{256} << 10, largest_ring = size_t{16} << 20;
    static constexpr size_t rings_in_shared = 4;      // so many times a ring is the shared buffer
    static constexpr uint32_t seats_in_shared = 256;  // threads in it at a time; others emit into their rings
    static constexpr size_t smallest_flight = size_t{64} << 10, largest_flight = size_t{16} << 30;

    // OVNI_BUFFER: of a thread. By default the largest event of the C API fits.
    size_t ring = (size_t{2} << 20) + 4096;
    size_t all_rings = 0;            // OVNI_BUFFER_TOTAL: of a process; 0: by the room there is
    size_t flight = 0;               // OVNI_FLIGHT: bytes of a thread kept beside that; 0: all are written
    size_t limit = 0;                // OVNI_LIMIT: bytes on disk of a process, 0: none
    OnFull on_full = OnFull::block;  // OVNI_ON_FULL
    BufferMode mode = BufferMode::rings;  // OVNI_BUFFER_MODE

    static Settings from_environment();
};

}  // namespace ovni::writer
