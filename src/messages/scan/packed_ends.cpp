#include "messages/scan/packed_ends.hpp"

#include <algorithm>
#include <tuple>

namespace ovni {

namespace {

// The first byte of an end. All that the end has in common with the one before is left out.
enum Flag : uint8_t {
    blocking = 1,  // one call posts and completes it
    same_stream = 2,
    same_function = 4,  // as the last end, for posting and for completion
    same_bytes = 8,
    unrecorded = 16,
    never_ended = 32,
    ended_in_call = 64,
};

// All of its numbers, as long as they can be.
constexpr size_t most_bytes = 1 + 2 * 3 + 3 * 5 + 7 * 10;
using Packer = PackedItem<most_bytes>;

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

void PackedEnds::add(const MessageEnd& end) {
    if (facts_.ends > 0 && is_posted_before(end, last_)) facts_.is_sorted = 0;
    if (end.unrecorded == 0) {
        if (facts_.first_stream == MessageEnd::no_stream) facts_.first_stream = end.stream;
        if (end.stream != facts_.first_stream)
            facts_.until_thread = std::min(facts_.until_thread, facts_.ends);
    }
    ++facts_.ends;
    if (end.has_ended() || end.is_freed()) facts_.until_completed = facts_.ends;
    items_.append(packed(end, last_).bytes());
    last_ = end;
}

void PackedEnds::doubt_from(int64_t order) {
    facts_.complete_until = std::min(facts_.complete_until, order);
}

bool EndsReader::next(MessageEnd& end) {
    if (left_ == 0) return false;
    --left_;
    const uint8_t flags = items_.first_byte();
    end = last_;
    end.order = items_.plus_difference(last_.order);
    end.left = items_.plus_difference(end.order);
    end.offset = static_cast<uint64_t>(items_.plus_difference(static_cast<int64_t>(last_.offset)));
    if (!(flags & same_stream)) end.stream = static_cast<uint32_t>(items_.number());
    if (!(flags & same_function)) {
        end.function = static_cast<uint16_t>(items_.number() & 0x3fffu);
        end.completed_by = static_cast<uint16_t>(items_.number());
    }
    if (!(flags & same_bytes)) end.bytes = items_.number();
    end.unrecorded = flags & unrecorded ? 1 : 0;
    end.behind_gap = end.order >= ends_->facts().complete_until ? 1 : 0;
    if (flags & blocking) {
        end.posted = end.wait_begin = end.order;
        end.wait_end = end.left;
        end.completed_in = end.stream;
    } else {
        end.posted = items_.plus_difference(end.order);
        end.wait_begin = items_.plus_difference(end.left);
        end.wait_end = flags & never_ended ? MessageEnd::never : items_.plus_difference(end.left);
        end.completed_in =
            flags & ended_in_call ? static_cast<uint32_t>(items_.number()) : MessageEnd::no_stream;
    }
    last_ = end;
    return true;
}

}  // namespace ovni
