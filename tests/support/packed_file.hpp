// Packed streams of plain ones, and plain ones of packed ones.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "packed/block.hpp"

namespace ovni::test {

struct PackedFile {
    std::string bytes;
    struct Block {
        size_t at = 0;        // in the file
        uint64_t offset = 0;  // in the plain stream
        uint32_t events = 0;
    };
    std::vector<Block> blocks;
};

// The packed form of the plain stream with these bytes; `most`: bytes of events in a block.
inline PackedFile packed_file(std::string_view plain, size_t most) {
    const auto text = [](std::span<const uint8_t> bytes) {
        return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    };
    std::string readable(plain);
    readable.resize(plain.size() + packed::BlockPacker::slack);
    const auto* events = reinterpret_cast<const uint8_t*>(readable.data());
    PackedFile file{text(packed::file_header()), {}};
    packed::BlockMaker maker;
    for (size_t at = OVNI_FORMAT_STREAM_HEADER; at < plain.size();) {
        size_t end = at;
        while (end < plain.size() && (end == at || end - at < most))
            end += ovni_format_event_size(events + end, plain.size() - end);
        const auto made = maker.make({events + at, end - at}, at);
        const auto header = packed::read_header(made.block);
        file.blocks.push_back({file.bytes.size(), at, header ? header->events : 0});
        file.bytes += text(made.block);
        at += made.taken;
    }
    return file;
}

// The plain stream in a stream.obs, packed or plain. Ends before a block that is damaged.
inline std::string plain_stream(std::string file) {
    const size_t size = file.size();
    file.resize(size + packed::BlockUnpacker::slack_of_columns);
    const auto* bytes = reinterpret_cast<const uint8_t*>(file.data());
    size_t at = OVNI_FORMAT_STREAM_HEADER;
    if (!packed::is_packed({bytes, size})) return file.substr(0, size);
    std::string plain{"ovni\1\0\0\0", OVNI_FORMAT_STREAM_HEADER};
    packed::BlockUnpacker unpacker;
    while (const auto header = packed::read_header({bytes + at, size - at})) {
        if (packed::size_of(*header) > size - at || header->offset != plain.size()) break;
        const std::span<const uint8_t> block(bytes + at, packed::size_of(*header));
        std::vector<uint8_t> events(header->events_bytes + packed::BlockUnpacker::slack);
        if (!packed::is_intact(*header, block) ||
            !packed::unpack(*header, block, unpacker, std::span(events).first(header->events_bytes)))
            break;
        plain.append(reinterpret_cast<const char*>(events.data()), header->events_bytes);
        at += block.size();
    }
    return plain;
}

}  // namespace ovni::test
