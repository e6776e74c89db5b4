#include "trace/checksums.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <tuple>
#include <vector>

#include "base/log.hpp"
#include "core/crc32c.hpp"
#include "core/stream_crc.hpp"
#include "ovni/format.h"
#include "trace/stream_files.hpp"

namespace ovni {

namespace fs = std::filesystem;

namespace {

constexpr size_t record_block = 4096;              // bytes of stream.crc to read at a time
constexpr size_t piece = size_t{64} << 10;         // bytes of stream.obs to read at a time
constexpr uint64_t new_block = uint64_t{1} << 20;  // bytes for each checksum of a stream that was rewritten
constexpr uint64_t whole_file = std::numeric_limits<uint64_t>::max();
static_assert(new_block % piece == 0);

// Hands the bytes [begin, end) of a file to `taker`, piece by piece.
template <class Taker>
void for_each_piece(const std::string& path, uint64_t begin, uint64_t end, Taker taker) {
    Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd) throw system_error("cannot open", path);
    std::vector<uint8_t> bytes(std::min<uint64_t>(piece, end - begin));
    for (uint64_t at = begin; at < end;) {
        std::span<uint8_t> part = std::span(bytes).first(std::min<uint64_t>(bytes.size(), end - at));
        read_at(fd, at, part, path);
        taker(part);
        at += part.size();
    }
}

void show(BlockChecker& checker, const std::string& path, uint64_t begin, uint64_t end) {
    for_each_piece(path, begin, end, [&](std::span<const uint8_t> bytes) { checker.see(bytes); });
}

std::string_view as_text(const void* bytes, size_t size) {
    return {static_cast<const char*>(bytes), size};
}

}  // namespace

std::unique_ptr<BlockChecker> BlockChecker::open(const std::string& directory, Checksums checksums,
                                                 uint64_t until) {
    if (checksums == Checksums::ignored) return nullptr;
    struct stat info {};
    std::string path = file_in(directory, stream_crc_name);
    if (::stat(path.c_str(), &info) != 0) {
        if (errno == ENOENT) return nullptr;
        throw system_error("cannot get the size", path);
    }
    return std::unique_ptr<BlockChecker>(new BlockChecker(directory, checksums, until));
}

// The size of stream.obs is taken after that of stream.crc: both may still grow.
BlockChecker::BlockChecker(const std::string& directory, Checksums checksums, uint64_t until)
    : stream_(file_in(directory, events_name)),
      records_(file_in(directory, stream_crc_name), record_block),
      next_record_(sizeof stream_crc_magic),
      until_(until),
      checksums_(checksums) {
    size_t size = std::min<size_t>(sizeof stream_crc_magic, records_.size());
    if (std::memcmp(records_.at(0), stream_crc_magic, size) != 0)
        throw Error(fmt::format("not checksums: does not begin with the magic '{}'",
                                as_text(stream_crc_magic, sizeof stream_crc_magic)),
                    records_.path(), 0);
    struct stat stream {
    }, side{};
    if (::stat(records_.path().c_str(), &side) != 0)
        throw system_error("cannot get the age", records_.path());
    if (::stat(stream_.c_str(), &stream) != 0) throw system_error("cannot get the size", stream_);
    stream_size_ = static_cast<uint64_t>(stream.st_size);
    newer_ = std::tie(stream.st_mtim.tv_sec, stream.st_mtim.tv_nsec) >
             std::tie(side.st_mtim.tv_sec, side.st_mtim.tv_nsec);
    at_ = block_.end = OVNI_FORMAT_STREAM_HEADER;
    next_block();
}

void BlockChecker::see(std::span<const uint8_t> bytes) {
    while (!is_over_ && !bytes.empty()) {
        size_t size = std::min<uint64_t>(bytes.size(), block_.end - at_);
        crc_ = crc32c(bytes.first(size), crc_);
        at_ += size;
        bytes = bytes.subspan(size);
        if (at_ == block_.end) end_block();
    }
}

void BlockChecker::end_block() {
    if (crc_ == block_.crc) return next_block();
    if (is_rewritten()) return;
    fail(
        block_.end,
        Error(fmt::format("the {} bytes from here on have the checksum {:08x}, not {:08x}: they were damaged "
                          "after they were recorded",
                          block_.end - block_.begin, crc_, block_.crc),
              stream_, block_.begin));
}

void BlockChecker::next_block() {
    crc_ = 0;
    is_over_ = records_.size() < next_record_ + sizeof(StreamCrcRecord);
    if (is_over_) return;
    records_.ensure(next_record_, next_record_ + sizeof(StreamCrcRecord));
    StreamCrcRecord record;
    std::memcpy(&record, records_.at(next_record_), sizeof record);
    block_ = {block_.end, record.end, record.crc};
    auto damaged = [&](std::string what) {
        fail(block_.begin, Error(std::move(what), records_.path(), next_record_));
    };
    if (record.end <= block_.begin)
        return damaged(fmt::format("a block ends at byte {}, where the one before ends at {}", record.end,
                                   block_.begin));
    if (record.reserved != 0) return damaged("the last 4 bytes of the record are not zero");
    if (record.end > until_) {
        is_over_ = true;
        return;
    }
    // The rest of the block may be read: it is not known to be wrong.
    if (record.end > stream_size_)
        return fail(stream_size_,
                    Error(fmt::format("a block ends at byte {} of {}, which has {} bytes: it was cut, or "
                                      "another program has written it (then remove {})",
                                      record.end, events_name, stream_size_, stream_crc_name),
                          records_.path(), next_record_));
    next_record_ += sizeof record;
}

void BlockChecker::go_to(uint64_t offset) {
    while (!is_over_ && block_.end <= offset) {
        at_ = block_.end;
        next_block();
    }
}

void BlockChecker::fail(uint64_t limit, Error fault) {
    is_over_ = true;
    limit_ = limit;
    fault_ = std::move(fault);
}

bool BlockChecker::is_rewritten() {
    if (!newer_) return false;
    is_over_ = true;
    if (checksums_ == Checksums::compared)
        log::warn(
            "{}: differs from its checksums in {}, which is older, so they are ignored: if no program has "
            "rewritten the stream, as the reference's ovnisort does, it is damaged",
            stream_, stream_crc_name);
    return true;
}

Error explained(const Error& fault) {
    try {
        auto checker = BlockChecker::open(fs::path(fault.path).parent_path(), Checksums::compared_quietly);
        if (!checker || !fault.offset) return fault;
        checker->go_to(*fault.offset);
        if (auto block = checker->block()) show(*checker, fault.path, block->begin, block->end);
        checker->check(whole_file);
    } catch (const Error& cause) {
        return cause;
    }
    return fault;
}

void check_stream(const fs::path& directory) {
    auto checker = BlockChecker::open(directory, Checksums::compared_quietly);
    if (!checker) return;
    show(*checker, directory / events_name, OVNI_FORMAT_STREAM_HEADER, checker->stream_size());
    checker->check(whole_file);
}

uint64_t recorded_size(const fs::path& directory) {
    if (std::error_code none; !fs::exists(directory / stream_crc_name, none)) return 0;
    FileWindow records(directory / stream_crc_name, record_block);
    uint64_t whole = records.size() - std::min<uint64_t>(records.size(), sizeof stream_crc_magic);
    StreamCrcRecord last;
    whole -= whole % sizeof last;
    if (whole == 0) return 0;
    uint64_t at = sizeof stream_crc_magic + whole - sizeof last;
    records.ensure(at, at + sizeof last);
    std::memcpy(&last, records.at(at), sizeof last);
    return last.end;
}

void renew_checksums(const fs::path& directory) {
    if (std::error_code none; fs::exists(directory / stream_crc_name, none)) write_checksums(directory);
}

void write_checksums(const fs::path& directory) {
    std::string stream = directory / events_name;
    OutputFile records(directory / stream_crc_name);
    records.write(as_text(stream_crc_magic, sizeof stream_crc_magic));
    StreamCrcRecord record;
    auto end_block = [&] {
        records.write(as_text(&record, sizeof record));
        record.crc = 0;
    };
    uint64_t size = check_stream_file(stream);
    record.end = OVNI_FORMAT_STREAM_HEADER;
    for_each_piece(stream, record.end, size, [&](std::span<const uint8_t> bytes) {
        record.crc = crc32c(bytes, record.crc);
        record.end += bytes.size();
        if ((record.end - OVNI_FORMAT_STREAM_HEADER) % new_block == 0 || record.end == size) end_block();
    });
    records.commit();
}

}  // namespace ovni
