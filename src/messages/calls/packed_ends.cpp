#include "messages/calls/packed_ends.hpp"

#include <algorithm>
#include <array>
#include <tuple>

namespace ovni {

namespace {

// The first byte of an end. All that the end has in common with the one before is left out.
enum Flag : uint8_t {
    blocking = 1,  // one call posts and completes it
    same_stream = 2,
    same_function = 4,  // and it is completed by the same
    same_bytes = 8,
    unrecorded = 16,
    never_ended = 32,
    ended_in_call = 64,
};

constexpr size_t most_bytes =
    1 + 2 * 3 + 3 * 5 + 7 * 10;  // of an end: all of its numbers, as long as they can be

class Packer {
 public:
    void byte(uint8_t value) { bytes_[size_++] = value; }
    // Seven bits in a byte, least significant first; the eighth says that more follow.
    void number(uint64_t value) {
        for (; value >= 0x80; value >>= 7) byte(static_cast<uint8_t>(value | 0x80));
        byte(static_cast<uint8_t>(value));
    }
    // Small ones of both signs become small numbers. Wraps around.
    void difference(int64_t from, int64_t to) {
        const uint64_t value = static_cast<uint64_t>(to) - static_cast<uint64_t>(from);
        number(value << 1 ^ (value >> 63 != 0 ? UINT64_MAX : 0));
    }
    std::span<const uint8_t> bytes() const { return std::span(bytes_).first(size_); }

 private:
    std::array<uint8_t, most_bytes> bytes_;
    size_t size_ = 0;
};

bool is_blocking(const MessageEnd& end) {
    return end.posted == end.order && end.wait_begin == end.order && end.wait_end == end.left &&
           end.completed_in == end.stream && end.completed_by == end.function;
}

uint8_t flags_of(const MessageEnd& end, const MessageEnd& last) {
    uint8_t flags = 0;
    const auto set = [&](Flag flag, bool is) { flags |= is ? flag : 0; };
    set(blocking, is_blocking(end));
    set(same_stream, end.stream == last.stream);
    set(same_function, end.function == last.function && end.completed_by == last.completed_by);
    set(same_bytes, end.bytes == last.bytes);
    set(unrecorded, end.unrecorded != 0);
    set(never_ended, !end.has_ended());
    set(ended_in_call, end.ended_in_call());
    return flags;
}

Packer packed(const MessageEnd& end, const MessageEnd& last) {
    Packer packer;
    const uint8_t flags = flags_of(end, last);
    packer.byte(flags);
    packer.difference(last.order, end.order);
    packer.difference(end.order, end.left);
    packer.difference(static_cast<int64_t>(last.offset), static_cast<int64_t>(end.offset));
    if (!(flags & same_stream)) packer.number(end.stream);
    if (!(flags & same_function)) {
        packer.number(end.function);
        packer.number(end.completed_by);
    }
    if (!(flags & same_bytes)) packer.number(end.bytes);
    if (flags & blocking) return packer;
    packer.difference(end.order, end.posted);
    packer.difference(end.left, end.wait_begin);
    if (!(flags & never_ended)) packer.difference(end.left, end.wait_end);
    if (flags & ended_in_call) packer.number(end.completed_in);
    return packer;
}

}  // namespace

bool is_posted_before(const MessageEnd& a, const MessageEnd& b) {
    return std::tie(a.order, a.stream, a.offset) < std::tie(b.order, b.stream, b.offset);
}

PackedEnds::PackedEnds(const Facts& facts, std::span<const uint8_t> bytes) : facts_(facts) {
    const size_t size = bytes.size();
    pieces_.push_back({std::make_unique_for_overwrite<uint8_t[]>(size), size, size});
    std::ranges::copy(bytes, pieces_.back().bytes.get());
}

void PackedEnds::add(const MessageEnd& end) {
    constexpr size_t least = 32, most = 1 << 14;
    if (facts_.ends > 0 && is_posted_before(end, last_)) facts_.is_sorted = 0;
    if (end.unrecorded == 0) {
        if (facts_.first_stream == MessageEnd::no_stream) facts_.first_stream = end.stream;
        if (end.stream != facts_.first_stream)
            facts_.until_thread = std::min(facts_.until_thread, facts_.ends);
    }
    ++facts_.ends;
    if (end.has_ended() || end.is_freed()) facts_.until_completed = facts_.ends;
    const Packer packer = packed(end, last_);
    last_ = end;
    const std::span<const uint8_t> bytes = packer.bytes();
    if (pieces_.empty() || pieces_.back().room - pieces_.back().used < bytes.size()) {
        const size_t wanted = pieces_.empty() ? least : std::min(2 * pieces_.back().room, most);
        const size_t room = std::max(wanted, bytes.size());
        pieces_.push_back({std::make_unique_for_overwrite<uint8_t[]>(room), 0, room});
    }
    Piece& piece = pieces_.back();
    std::ranges::copy(bytes, piece.bytes.get() + piece.used);
    piece.used += bytes.size();
}

void PackedEnds::doubt_from(int64_t order) {
    facts_.complete_until = std::min(facts_.complete_until, order);
}

size_t PackedEnds::bytes() const {
    size_t sum = 0;
    for (const Piece& piece : pieces_) sum += piece.used;
    return sum;
}

void PackedEnds::append_to(std::vector<uint8_t>& bytes) const {
    for (const Piece& piece : pieces_)
        bytes.insert(bytes.end(), piece.bytes.get(), piece.bytes.get() + piece.used);
}

uint64_t EndsReader::number() {
    const uint8_t* bytes = ends_->pieces_[piece_].bytes.get();
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        const uint8_t byte = bytes[at_++];
        value |= uint64_t{byte & 0x7fu} << shift;
        if (byte < 0x80) return value;
    }
}

int64_t EndsReader::difference() {
    const uint64_t value = number();
    return static_cast<int64_t>(value >> 1 ^ (value & 1 ? UINT64_MAX : 0));
}

bool EndsReader::next(MessageEnd& end) {
    if (left_ == 0) return false;
    --left_;
    if (at_ == ends_->pieces_[piece_].used) {
        ++piece_;
        at_ = 0;
    }
    const auto plus = [](int64_t from, int64_t difference) {
        return static_cast<int64_t>(static_cast<uint64_t>(from) + static_cast<uint64_t>(difference));
    };
    const uint8_t flags = ends_->pieces_[piece_].bytes[at_++];
    end = last_;
    end.order = plus(last_.order, difference());
    end.left = plus(end.order, difference());
    end.offset = static_cast<uint64_t>(plus(static_cast<int64_t>(last_.offset), difference()));
    if (!(flags & same_stream)) end.stream = static_cast<uint32_t>(number());
    if (!(flags & same_function)) {
        end.function = static_cast<uint16_t>(number() & 0x3fffu);
        end.completed_by = static_cast<uint16_t>(number());
    }
    if (!(flags & same_bytes)) end.bytes = number();
    end.unrecorded = flags & unrecorded ? 1 : 0;
    end.behind_gap = end.order >= ends_->facts().complete_until ? 1 : 0;
    if (flags & blocking) {
        end.posted = end.wait_begin = end.order;
        end.wait_end = end.left;
        end.completed_in = end.stream;
    } else {
        end.posted = plus(end.order, difference());
        end.wait_begin = plus(end.left, difference());
        end.wait_end = flags & never_ended ? MessageEnd::never : plus(end.left, difference());
        end.completed_in = flags & ended_in_call ? static_cast<uint32_t>(number()) : MessageEnd::no_stream;
    }
    last_ = end;
    return true;
}

}  // namespace ovni
