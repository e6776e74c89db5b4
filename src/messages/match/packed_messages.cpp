#include "messages/match/packed_messages.hpp"

#include <algorithm>

namespace ovni {

namespace {

// The first byte of a message. All that it has in common with the one before is left out.
enum MessageFlag : uint8_t {
    same_threads = 1,    // and communicator and tag
    same_functions = 2,  // all four
    same_size = 4,
    send_blocks = 8,  // one call posts and completes it
    receive_blocks = 16,
    send_never_ends = 32,
    receive_never_ends = 64,
};

// All of its numbers, as long as they can be.
constexpr size_t most_bytes_of_message = 1 + 4 * 3 + 5 * 5 + 11 * 10;
using MessagePacker = PackedItem<most_bytes_of_message>;

uint8_t message_flags(const Message& of, const Message& last) {
    uint8_t flags = 0;
    const auto set = [&](MessageFlag flag, bool is) { flags |= is ? flag : 0; };
    set(same_threads, of.send_stream == last.send_stream && of.receive_stream == last.receive_stream &&
                          of.communicator == last.communicator && of.tag == last.tag);
    set(same_functions, of.send_function == last.send_function &&
                            of.receive_function == last.receive_function &&
                            of.send_completed_by == last.send_completed_by &&
                            of.receive_completed_by == last.receive_completed_by);
    set(same_size, of.bytes == last.bytes);
    set(send_blocks, of.send_wait_begin == of.send_posted && of.send_wait_end == of.send_left &&
                         of.send_completed_in == of.send_stream);
    set(receive_blocks,
        of.receive_wait_begin == of.receive_posted && of.receive_completed_in == of.receive_stream);
    set(send_never_ends, of.send_wait_end == MessageEnd::never);
    set(receive_never_ends, of.receive_wait_end == MessageEnd::never);
    return flags;
}

MessagePacker pack(const Message& of, const Message& last) {
    MessagePacker packer;
    const uint8_t flags = message_flags(of, last);
    packer.byte(flags);
    packer.difference(last.send_posted, of.send_posted);
    packer.difference(of.send_posted, of.send_left);
    packer.difference(of.send_posted, of.receive_posted);
    packer.difference(static_cast<int64_t>(last.send_offset), static_cast<int64_t>(of.send_offset));
    packer.difference(static_cast<int64_t>(last.receive_offset), static_cast<int64_t>(of.receive_offset));
    if (!(flags & same_threads)) {
        packer.number(of.send_stream);
        packer.number(of.receive_stream);
        packer.number(of.communicator);
        packer.difference(last.tag, of.tag);
    }
    if (!(flags & same_functions))
        for (const uint16_t function :
             {of.send_function, of.receive_function, of.send_completed_by, of.receive_completed_by})
            packer.number(function);
    if (!(flags & same_size)) packer.number(of.bytes);
    if (!(flags & send_blocks)) {
        packer.number(of.send_completed_in);
        packer.difference(of.send_left, of.send_wait_begin);
        if (!(flags & send_never_ends)) packer.difference(of.send_left, of.send_wait_end);
    }
    if (!(flags & receive_blocks)) {
        packer.number(of.receive_completed_in);
        packer.difference(of.receive_posted, of.receive_wait_begin);
    }
    if (!(flags & receive_never_ends)) packer.difference(of.receive_posted, of.receive_wait_end);
    return packer;
}

void unpack_next(PackedItemsReader& items, Message& of) {
    const auto number32 = [&] { return static_cast<uint32_t>(items.number()); };
    const auto number16 = [&] { return static_cast<uint16_t>(items.number()); };
    const auto offset_behind = [&](uint64_t last) {
        return static_cast<uint64_t>(items.plus_difference(static_cast<int64_t>(last)));
    };
    const uint8_t flags = items.first_byte();
    of.send_posted = items.plus_difference(of.send_posted);
    of.send_left = items.plus_difference(of.send_posted);
    of.receive_posted = items.plus_difference(of.send_posted);
    of.send_offset = offset_behind(of.send_offset);
    of.receive_offset = offset_behind(of.receive_offset);
    if (!(flags & same_threads)) {
        of.send_stream = number32();
        of.receive_stream = number32();
        of.communicator = items.number();
        of.tag = static_cast<int32_t>(items.plus_difference(of.tag));
    }
    if (!(flags & same_functions))
        for (uint16_t* function :
             {&of.send_function, &of.receive_function, &of.send_completed_by, &of.receive_completed_by})
            *function = number16();
    if (!(flags & same_size)) of.bytes = items.number();
    of.send_completed_in = of.send_stream;
    of.send_wait_begin = of.send_posted;
    of.send_wait_end = of.send_left;
    if (!(flags & send_blocks)) {
        of.send_completed_in = number32();
        of.send_wait_begin = items.plus_difference(of.send_left);
        of.send_wait_end = flags & send_never_ends ? MessageEnd::never : items.plus_difference(of.send_left);
    }
    of.receive_completed_in = of.receive_stream;
    of.receive_wait_begin = of.receive_posted;
    if (!(flags & receive_blocks)) {
        of.receive_completed_in = number32();
        of.receive_wait_begin = items.plus_difference(of.receive_posted);
    }
    of.receive_wait_end =
        flags & receive_never_ends ? MessageEnd::never : items.plus_difference(of.receive_posted);
}

}  // namespace

void PackedMessages::add(const Message& message) {
    if (runs_.empty() || comes_before_(message, last_)) {
        runs_.push_back({items_.end(), 0});
        last_ = {};
    }
    items_.append(pack(message, last_).bytes());
    last_ = message;
    ++runs_.back().messages;
    ++size_;
}

void PackedMessages::merge_runs() {
    if (runs_.size() < 2) return;
    PackedMessages merged(comes_before_);
    MessageReader reader(*this);
    while (const Message* message = reader.next()) merged.add(*message);
    *this = std::move(merged);
}

void MessageReader::Run::unpack() {
    --left;
    unpack_next(items, message);
}

MessageReader::MessageReader(const PackedMessages& messages) : comes_before_(messages.comes_before_) {
    runs_.reserve(messages.runs_.size());
    for (const PackedMessages::Run& run : messages.runs_) {
        heap_.push_back(runs_.size());
        runs_.push_back({PackedItemsReader(messages.items_, run.begin), run.messages, {}});
        runs_.back().unpack();
    }
    std::ranges::make_heap(heap_, [this](size_t a, size_t b) { return comes_before(b, a); });
}

bool MessageReader::comes_before(size_t a, size_t b) const {
    if (comes_before_(runs_[a].message, runs_[b].message)) return true;
    return a < b && !comes_before_(runs_[b].message, runs_[a].message);
}

const Message* MessageReader::next() {
    if (std::exchange(has_begun_, true) && !heap_.empty()) {
        Run& last = runs_[heap_.front()];
        const auto is_later = [this](size_t a, size_t b) { return comes_before(b, a); };
        const bool is_over = last.left == 0;
        if (heap_.size() > 1) std::ranges::pop_heap(heap_, is_later);
        if (is_over) {
            heap_.pop_back();
        } else {
            runs_[heap_.back()].unpack();
            if (heap_.size() > 1) std::ranges::push_heap(heap_, is_later);
        }
    }
    return heap_.empty() ? nullptr : &runs_[heap_.front()].message;
}

}  // namespace ovni
