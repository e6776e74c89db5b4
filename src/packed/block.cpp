#include "packed/block.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "core/crc32c.hpp"

namespace ovni::packed {

namespace {

static_assert(std::endian::native == std::endian::little);
static_assert(sizeof(ovni_packed_header) == OVNI_PACKED_BLOCK_HEADER);

constexpr size_t behind_crc = offsetof(ovni_packed_header, body);

uint32_t crc_of(std::span<const uint8_t> block) {
    return crc32c(block.subspan(behind_crc));
}

// The clocks and number of whole events.
void describe(std::span<const uint8_t> events, ovni_packed_header& header) {
    header.first_clock = header.least_clock = header.greatest_clock = ovni_format_clock(events.data());
    for (; !events.empty(); ++header.events) {
        const uint64_t clock = ovni_format_clock(events.data());
        header.least_clock = std::min(header.least_clock, clock);
        header.greatest_clock = std::max(header.greatest_clock, clock);
        events = events.subspan(ovni_format_event_size(events.data(), events.size()));
    }
}

// The first ones, whole, as far as they may be in one packed block; one at least.
std::span<const uint8_t> events_of_a_block(std::span<const uint8_t> events) {
    if (events.size() <= OVNI_PACKED_LARGEST_BLOCK) return events;
    uint64_t end = 0;
    for (;;) {
        const uint64_t next = end + ovni_format_event_size(&events[end], events.size() - end);
        if (next > OVNI_PACKED_LARGEST_BLOCK) return events.first(end == 0 ? next : end);
        end = next;
    }
}

}  // namespace

std::span<const uint8_t> file_header() {
    static constexpr std::array<uint8_t, OVNI_FORMAT_STREAM_HEADER> header{'o', 'v', 'n', 'i',
                                                                           OVNI_PACKED_VERSION};
    return header;
}

bool is_packed(std::span<const uint8_t> header) {
    const std::span<const uint8_t> expected = file_header();
    return header.size() >= expected.size() && std::equal(expected.begin(), expected.end(), header.begin());
}

BlockMaker::Made BlockMaker::finish(ovni_packed_header header) {
    std::memcpy(header.magic, OVNI_PACKED_MAGIC, sizeof header.magic);
    block_.resize(size_of(header));
    std::memcpy(block_.data(), &header, sizeof header);
    header.crc = crc_of(block_);
    std::memcpy(block_.data(), &header, sizeof header);
    return {block_, header.events_bytes};
}

BlockMaker::Made BlockMaker::plain(std::span<const uint8_t> events, uint64_t offset) {
    if (events.size() > UINT32_MAX) return {};
    ovni_packed_header header{};
    header.offset = offset;
    header.body = header.events_bytes = static_cast<uint32_t>(events.size());
    header.column1 = OVNI_PACKED_PLAIN;
    describe(events, header);
    block_.resize(sizeof header);
    block_.insert(block_.end(), events.begin(), events.end());
    return finish(header);
}

bool BlockMaker::has_memory() {
    if (!packer_ && (memory_ = make_packer_memory())) packer_.emplace(*memory_);
    return packer_.has_value();
}

BlockMaker::Made BlockMaker::make(std::span<const uint8_t> events, uint64_t offset) {
    events = events_of_a_block(events);
    // A single event may be larger.
    if (events.size() > OVNI_PACKED_LARGEST_BLOCK || !has_memory()) return plain(events, offset);
    const Columns columns = packer_->pack(events);
    const size_t body = columns.tokens.size() + columns.lengths.size() + columns.lows.size();
    if (body >= columns.taken) return plain(events.first(columns.taken), offset);
    ovni_packed_header header{};
    header.body = static_cast<uint32_t>(body);
    header.events_bytes = static_cast<uint32_t>(columns.taken);
    header.events = columns.events;
    header.column1 = static_cast<uint32_t>(columns.tokens.size());
    header.column2 = static_cast<uint32_t>(columns.lengths.size());
    header.offset = offset;
    header.first_clock = columns.first_clock;
    header.least_clock = columns.least_clock;
    header.greatest_clock = columns.greatest_clock;
    block_.resize(sizeof header);
    for (const std::span<const uint8_t> column : {columns.tokens, columns.lengths, columns.lows})
        block_.insert(block_.end(), column.begin(), column.end());
    return finish(header);
}

std::optional<ovni_packed_header> read_header(std::span<const uint8_t> bytes) {
    ovni_packed_header header{};
    if (bytes.size() < sizeof header) return std::nullopt;
    std::memcpy(&header, bytes.data(), sizeof header);
    const bool is_plain = header.column1 == OVNI_PACKED_PLAIN;
    const bool fits = is_plain ? header.body == header.events_bytes
                               : header.events_bytes <= OVNI_PACKED_LARGEST_BLOCK &&
                                     header.body < header.events_bytes &&
                                     uint64_t{header.column1} + header.column2 <= header.body;
    if (std::memcmp(header.magic, OVNI_PACKED_MAGIC, sizeof header.magic) != 0 || header.zero != 0 || !fits ||
        header.events == 0 || header.events > header.events_bytes / OVNI_FORMAT_EVENT_HEADER)
        return std::nullopt;
    return header;
}

bool is_intact(const ovni_packed_header& header, std::span<const uint8_t> block) {
    return block.size() == size_of(header) && crc_of(block) == header.crc;
}

bool unpack(const ovni_packed_header& header, std::span<const uint8_t> block, BlockUnpacker& unpacker,
            std::span<uint8_t> to) {
    const std::span<const uint8_t> body = block.subspan(sizeof header, header.body);
    if (header.column1 == OVNI_PACKED_PLAIN) {
        std::memcpy(to.data(), body.data(), body.size());
        return true;
    }
    const auto lows = size_t{header.column1} + header.column2;
    return unpacker.unpack({body.first(header.column1), body.subspan(header.column1, header.column2),
                            body.subspan(lows), header.events, header.first_clock},
                           to);
}

}  // namespace ovni::packed
