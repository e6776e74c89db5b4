#include "trace/packed_events.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "ovni/format.h"
#include "packed/block.hpp"

namespace ovni {

namespace {

// A block may be unpacked by any thread.
packed::BlockUnpacker& unpacker() {
    thread_local packed::BlockUnpacker of_thread;
    return of_thread;
}

class PackedEvents : public FileWindow::Decoder {
 public:
    PackedEvents(const Fd& file, uint64_t file_size, std::string path) : path_(std::move(path)) {
        uint64_t at = packed::file_header().size();
        while (at < file_size && !fault_) at = add_block(file, at, file_size);
    }

    uint64_t size() const override { return size_; }

    size_t read(const Fd& file, uint64_t offset, std::span<uint8_t> to) override {
        size_t done = offset < OVNI_FORMAT_STREAM_HEADER ? copy_header(offset, to) : 0;
        while (done < to.size()) {
            const uint64_t at = offset + done;
            if (!holds(at) && !load(file, at)) return done;
            const size_t within = at - held_.offset,
                         count = std::min(to.size() - done, held_.events_bytes - within);
            std::memcpy(&to[done], &events_[within], count);
            done += count;
        }
        return done;
    }

    const Error* fault() const override { return fault_ ? &*fault_ : nullptr; }

 private:
    struct Block {
        uint64_t at = 0;      // in the file
        uint64_t offset = 0;  // in the plain stream
    };

    static size_t copy_header(uint64_t offset, std::span<uint8_t> to) {
        std::array<uint8_t, OVNI_FORMAT_STREAM_HEADER> header{};
        constexpr uint32_t version = OVNI_FORMAT_VERSION;
        std::memcpy(header.data(), OVNI_FORMAT_MAGIC, sizeof OVNI_FORMAT_MAGIC);
        std::memcpy(&header[sizeof OVNI_FORMAT_MAGIC], &version, sizeof version);
        const size_t count = std::min<size_t>(header.size() - offset, to.size());
        std::memcpy(to.data(), &header[offset], count);
        return count;
    }

    // Returns where the next block begins in the file.
    uint64_t add_block(const Fd& file, uint64_t at, uint64_t file_size) {
        std::array<uint8_t, OVNI_PACKED_BLOCK_HEADER> bytes{};
        const uint64_t left = file_size - at;
        if (left < bytes.size())
            return end_with(fmt::format("the last block is cut: {} bytes of its header are there", left));
        read_at(file, at, bytes, path_);
        const auto header = packed::read_header(bytes);
        if (!header || header->offset != size_)
            return end_with(fmt::format("no block of a packed stream begins at byte {} of the file", at));
        if (packed::size_of(*header) > left)
            return end_with(
                fmt::format("the last block is cut: it has {} of {} bytes, and {} events are lost", left,
                            packed::size_of(*header), header->events));
        blocks_.push_back({at, size_});
        size_ += header->events_bytes;
        return at + packed::size_of(*header);
    }
    uint64_t end_with(std::string fault) {
        fault_.emplace(std::move(fault), path_, size_);
        return 0;
    }

    bool holds(uint64_t at) const { return at - held_.offset < held_.events_bytes; }
    // Unpacks the block with that byte. False if it is damaged: the stream ends before it.
    bool load(const Fd& file, uint64_t at) {
        if (at >= size_) return false;
        const auto behind = std::ranges::upper_bound(blocks_, at, {}, &Block::offset);
        const Block& block = *std::prev(behind);
        std::array<uint8_t, OVNI_PACKED_BLOCK_HEADER> bytes{};
        read_at(file, block.at, bytes, path_);
        const auto header = packed::read_header(bytes);
        const uint64_t next = behind == blocks_.end() ? size_ : behind->offset;
        if (!header || header->offset != block.offset || block.offset + header->events_bytes != next)
            throw Error("the file was changed while it was read", path_, block.offset);
        held_ = {};
        // Streams take turns.
        thread_local std::vector<uint8_t> file_bytes;
        const uint64_t size = packed::size_of(*header);
        file_bytes.resize(size + packed::BlockUnpacker::slack_of_columns);
        const std::span<uint8_t> whole(file_bytes.data(), size);
        read_at(file, block.at, whole, path_);
        events_.resize(header->events_bytes + packed::BlockUnpacker::slack);
        const char* wrong = nullptr;
        if (!packed::is_intact(*header, whole))
            wrong = "is damaged: its checksum differs";
        else if (!packed::unpack(*header, whole, unpacker(), std::span(events_).first(header->events_bytes)))
            wrong = "is wrong, though its checksum is right: its writer has a fault";
        if (wrong) {
            size_ = block.offset;
            end_with(fmt::format("the block of {} events at byte {} of the file {}", header->events, block.at,
                                 wrong));
            return false;
        }
        held_ = *header;
        return true;
    }

    std::string path_;
    std::vector<Block> blocks_;
    uint64_t size_ = OVNI_FORMAT_STREAM_HEADER;  // of the plain stream
    std::optional<Error> fault_;                 // at size_
    ovni_packed_header held_{};                  // whose events are in events_
    std::vector<uint8_t> events_;
};

}  // namespace

std::unique_ptr<FileWindow::Decoder> packed_events(const Fd& file, uint64_t size, const std::string& path) {
    std::array<uint8_t, OVNI_FORMAT_STREAM_HEADER> header{};
    if (size < header.size()) return nullptr;
    const ssize_t got = ::pread(file.get(), header.data(), header.size(), 0);
    if (got != static_cast<ssize_t>(header.size()) || !packed::is_packed(header)) return nullptr;
    return std::make_unique<PackedEvents>(file, size, path);
}

}  // namespace ovni
