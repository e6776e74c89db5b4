#include "trace/stream_output.hpp"

#include <span>

#include "base/error.hpp"
#include "ovni/format.h"
#include "trace/stream_files.hpp"

namespace ovni {

namespace {

std::string_view text_in(std::span<const uint8_t> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// At most so many bytes, but one event at least.
std::span<const uint8_t> first_events(std::span<const uint8_t> events, size_t most) {
    size_t end = 0;
    while (end < events.size()) {
        const uint64_t size = ovni_format_event_size(&events[end], events.size() - end);
        if (end > 0 && end + size > most) break;
        end += size;
    }
    return events.first(end);
}

}  // namespace

StreamOutput::StreamOutput(const std::filesystem::path& directory, packed::BlockMaker* blocks)
    : file_(directory / events_name), blocks_(blocks) {
    constexpr uint32_t version = OVNI_FORMAT_VERSION;
    std::string header(OVNI_FORMAT_MAGIC, sizeof OVNI_FORMAT_MAGIC);
    header.append(reinterpret_cast<const char*>(&version), sizeof version);
    file_.write(blocks ? text_in(packed::file_header()) : header);
    written_ = header.size();
}

void StreamOutput::commit() {
    flush(1);
    file_.commit();
}

// `least`: bytes that a packed block should have.
void StreamOutput::flush(size_t least) {
    if (blocks_) return write_blocks(least);
    file_.write(buffer_);
    written_ += buffer_.size();
    buffer_.clear();
}

void StreamOutput::write_blocks(size_t least) {
    const size_t size = buffer_.size();
    buffer_.resize(size + packed::BlockPacker::slack);
    std::span<const uint8_t> left(reinterpret_cast<const uint8_t*>(buffer_.data()), size);
    while (left.size() >= least) {
        const auto made = blocks_->make(first_events(left, packed::usual_block), written_);
        if (made.taken == 0)
            throw Error("an event of 4 GiB or more cannot be packed", file_.path().string(), written_);
        file_.write(text_in(made.block));
        written_ += made.taken;
        left = left.subspan(made.taken);
    }
    buffer_.resize(size);
    buffer_.erase(0, size - left.size());
}

}  // namespace ovni
