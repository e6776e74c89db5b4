// A packed stream.obs: read like any other. Most inputs fail at a checksum, so its block is unpacked without,
// too.
#include <vector>

#include "packed/block.hpp"
#include "tests/fuzz/one_stream.hpp"

namespace ovni::fuzz {

namespace {

void unpack_first_block(std::string_view file) {
    const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(file.data()), file.size());
    const size_t begin = packed::file_header().size();
    if (bytes.size() < begin) return;
    const auto header = packed::read_header(bytes.subspan(begin));
    if (!header || packed::size_of(*header) > bytes.size() - begin) return;
    const std::span<const uint8_t> block = bytes.subspan(begin, packed::size_of(*header));
    std::vector<uint8_t> readable(block.begin(), block.end());
    readable.resize(block.size() + packed::BlockUnpacker::slack_of_columns);
    std::vector<uint8_t> events(header->events_bytes + packed::BlockUnpacker::slack);
    packed::BlockUnpacker unpacker;
    packed::unpack(*header, std::span(readable).first(block.size()), unpacker,
                   std::span(events).first(header->events_bytes));
}

}  // namespace

void take(std::string_view input) {
    unpack_first_block(input);
    static const TraceInMemory files;
    files.put("stream.json", plain_metadata);
    files.put("stream.obs", input);
    ends([] {
        StreamReader reader({files.path(), 0, {}, ClockOrder::any});
        while (reader.next()) require(reader.event().bytes != nullptr || !reader.is_packed());
    });
}

}  // namespace ovni::fuzz
