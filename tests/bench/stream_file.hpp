// stream.obs of one generated thread, written in large blocks, and stream.crc if that is wanted.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/file.hpp"
#include "core/crc32c.hpp"
#include "core/stream_crc.hpp"
#include "ovni/event_code.hpp"
#include "ovni/format.h"

namespace ovni::bench {

class StreamFile {
 public:
    explicit StreamFile(const std::filesystem::path& path) : file_(path) {
        block_.reserve(block_size + slack);
        block_.append(OVNI_FORMAT_MAGIC, sizeof OVNI_FORMAT_MAGIC);
        append(static_cast<uint32_t>(OVNI_FORMAT_VERSION));
    }

    // Arguments are packed one after the other.
    template <class... Arguments>
    void event(EventCode code, int64_t clock, Arguments... arguments) {
        constexpr unsigned payload = (0U + ... + sizeof(Arguments));
        static_assert(payload <= OVNI_FORMAT_PAYLOAD_MAX);
        header(ovni_format_flags(payload), code, clock);
        (append(arguments), ...);
    }
    // A jumbo event with a number and a text.
    void labelled(EventCode code, int64_t clock, uint32_t id, std::string_view label) {
        header(OVNI_FORMAT_JUMBO | (OVNI_FORMAT_JUMBO_SIZE - 1), code, clock);
        append(static_cast<uint32_t>(sizeof id + label.size() + 1));
        append(id);
        block_.append(label).push_back('\0');
    }
    void commit() {
        write_block();
        file_.commit();
    }
    // After commit().
    void commit_checksums() const { write_file(file_.path().parent_path() / stream_crc_name, checksums_); }

 private:
    static constexpr size_t block_size = size_t{1} << 20, slack = 1024;

    void header(uint8_t flags, EventCode code, int64_t clock) {
        if (block_.size() >= block_size) [[unlikely]]
            write_block();
        append(static_cast<uint32_t>(flags | code.bits() << 8));
        append(clock);
    }
    void write_block() {
        auto bytes = std::span(reinterpret_cast<const uint8_t*>(block_.data()), block_.size());
        if (written_ == 0) bytes = bytes.subspan(OVNI_FORMAT_STREAM_HEADER);
        written_ += block_.size();
        StreamCrcRecord record{.end = written_, .crc = crc32c(bytes)};
        if (!bytes.empty()) checksums_.append(reinterpret_cast<const char*>(&record), sizeof record);
        file_.write(block_);
        block_.clear();
    }
    template <class T>
    void append(T value) {
        static_assert(std::is_integral_v<T>);
        char bytes[sizeof value];
        std::memcpy(bytes, &value, sizeof value);
        block_.append(bytes, sizeof value);
    }

    OutputFile file_;
    std::string block_;
    uint64_t written_ = 0;
    std::string checksums_{stream_crc_magic, sizeof stream_crc_magic};
};

}  // namespace ovni::bench
