// A packed stream.obs of the plain one with these bytes, in blocks of whole events.
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

// `most`: bytes of events in a block.
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

}  // namespace ovni::test
