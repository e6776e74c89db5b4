// Packed items of several numbers: small numbers, and small differences of both signs, take one byte. Packing
// pays off, because the first touch of a page costs more than packing and unpacking a page of data.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/table_memory.hpp"

namespace ovni {

// One item of at most `most` bytes. A number takes at most 10 bytes, one of 32 bits 5, of 16 bits 3.
template <size_t most>
class PackedItem {
 public:
    void byte(uint8_t value) { bytes_[size_++] = value; }
    // Seven bits per byte, least significant first; the eighth bit is set if more bytes follow.
    void number(uint64_t value) {
        for (; value >= 0x80; value >>= 7) byte(static_cast<uint8_t>(value | 0x80));
        byte(static_cast<uint8_t>(value));
    }
    // Wraps around.
    void difference(int64_t from, int64_t to) {
        const uint64_t value = static_cast<uint64_t>(to) - static_cast<uint64_t>(from);
        number(value << 1 ^ (value >> 63 != 0 ? UINT64_MAX : 0));
    }
    std::span<const uint8_t> bytes() const { return std::span(bytes_).first(size_); }

 private:
    std::array<uint8_t, most> bytes_;
    size_t size_ = 0;
};

// A sequence of items. Memory is allocated in pieces of growing size, and is not moved; an item is always
// within one piece.
class PackedItems {
 public:
    PackedItems() = default;
    PackedItems(PackedItems&&) noexcept = default;
    PackedItems& operator=(PackedItems&&) noexcept = default;
    // From the bytes of all items of another PackedItems.
    explicit PackedItems(std::span<const uint8_t> bytes) { append(bytes); }

    void append(std::span<const uint8_t> item) {
        if (pieces_.empty() || pieces_.back().room - pieces_.back().used < item.size())
            add_piece(item.size());
        Piece& piece = pieces_.back();
        std::ranges::copy(item, piece.bytes.get() + piece.used);
        piece.used += item.size();
        bytes_ += item.size();
    }
    size_t bytes() const { return bytes_; }
    // The position at which a reader of the next item starts.
    struct Place {
        size_t piece = 0, at = 0;
    };
    Place end() const { return pieces_.empty() ? Place() : Place{pieces_.size() - 1, pieces_.back().used}; }
    void append_to(std::vector<uint8_t>& bytes) const {
        for (const Piece& piece : pieces_)
            bytes.insert(bytes.end(), piece.bytes.get(), piece.bytes.get() + piece.used);
    }

 private:
    friend class PackedItemsReader;
    struct Piece {
        TableBlock<uint8_t> bytes;
        size_t used = 0, room = 0;
    };

    // The unused part of a large piece takes no memory.
    void add_piece(size_t least_room) {
        constexpr size_t first = 32, most = 1 << 20;
        const size_t wanted = pieces_.empty() ? first : std::min(2 * pieces_.back().room, most);
        const size_t room = std::max(wanted, least_room);
        pieces_.push_back({make_table_block<uint8_t>(room), 0, room});
    }

    std::vector<Piece> pieces_;
    size_t bytes_ = 0;
};

// Reads the numbers that PackedItem wrote, in that order. The items must not change meanwhile.
class PackedItemsReader {
 public:
    explicit PackedItemsReader(const PackedItems& items, PackedItems::Place begin = {})
        : items_(&items), piece_(begin.piece), at_(begin.at) {}

    // Begins an item, if there is one more.
    uint8_t first_byte() {
        if (at_ == items_->pieces_[piece_].used) {
            ++piece_;
            at_ = 0;
        }
        return byte();
    }
    uint8_t byte() { return items_->pieces_[piece_].bytes[at_++]; }
    uint64_t number() {
        const uint8_t* bytes = items_->pieces_[piece_].bytes.get();
        uint64_t value = 0;
        for (unsigned shift = 0;; shift += 7) {
            const uint8_t byte = bytes[at_++];
            value |= uint64_t{byte & 0x7fu} << shift;
            if (byte < 0x80) return value;
        }
    }
    int64_t plus_difference(int64_t from) {
        const uint64_t value = number();
        return static_cast<int64_t>(static_cast<uint64_t>(from) +
                                    (value >> 1 ^ (value & 1 ? UINT64_MAX : 0)));
    }

 private:
    const PackedItems* items_;
    size_t piece_, at_;
};

}  // namespace ovni
