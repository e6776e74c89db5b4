#include "ring/late_note.hpp"

#include <cstring>
#include <span>

namespace ovni::writer {

void leave_late_note(const Ring& ring, const Json& metadata) {
    RingHeader& header = ring.header();
    const std::string text = json_text(metadata, JsonStyle::compact);
    const std::span<uint8_t> room = ring.after_header();
    if (text.size() > room.size()) return;
    const uint32_t changes = header.late_note_changes.load(std::memory_order_relaxed);
    header.late_note_changes.store(changes + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    memcpy(room.data(), text.data(), text.size());
    header.late_note_bytes.store(static_cast<uint32_t>(text.size()), std::memory_order_relaxed);
    header.late_note_changes.store(changes + 2, std::memory_order_release);
}

void withdraw_late_note(const Ring& ring) {
    ring.header().late_note_changes.store(0, std::memory_order_release);
}

std::optional<Json> late_note(const Ring& ring) {
    constexpr int attempts = 100;
    const RingHeader& header = ring.header();
    const std::span<const uint8_t> room = ring.after_header();
    for (int attempt = 0; attempt < attempts; ++attempt) {
        const uint32_t before = header.late_note_changes.load(std::memory_order_acquire);
        const uint32_t bytes = header.late_note_bytes.load(std::memory_order_relaxed);
        if (before == 0 || bytes > room.size()) return std::nullopt;
        const std::string text(reinterpret_cast<const char*>(room.data()), bytes);
        std::atomic_thread_fence(std::memory_order_acquire);
        if (before % 2 != 0 || header.late_note_changes.load(std::memory_order_relaxed) != before) continue;
        std::optional<Json> metadata = json_parse(text.c_str(), JsonNumbers::as_written);
        return metadata && metadata->is_object() ? metadata : std::nullopt;
    }
    return std::nullopt;
}

}  // namespace ovni::writer
