#include "sink/placed_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "base/error.hpp"

namespace ovni {

namespace {

// For a single rank: large enough for the folios of ext4, small enough for the second level cache. A slice of
// many ranks grows it.
constexpr size_t first_buffer = size_t{256} << 10;

}  // namespace

PlacedFile::PlacedFile(const Ranks& ranks, const std::filesystem::path& path, std::string_view header)
    : ranks_(ranks), path_(path), header_(header.size()), end_(header.size()) {
    ranks_.agree([&] {
        if (!ranks_.is_root()) return;
        output_.emplace(path_);
        output_->write_at(0, header);
    });
    if (ranks_.is_alone()) return;
    std::filesystem::path beside = ranks_.broadcast(output_ ? output_->beside().string() : std::string());
    bool is_seen = output_.has_value() || sees(beside, end_);
    is_shared_ = ranks_.allreduce(Op::min, int64_t{is_seen}) == 1;
    if (!is_shared_) file_ = Fd();
}

// A file of that name on another disk would be left from an emulation that was killed, and longer.
bool PlacedFile::sees(const std::filesystem::path& beside, uint64_t size) {
    file_ = Fd(::open(beside.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC));
    struct stat info {};
    return file_ && ::fstat(file_.get(), &info) == 0 && static_cast<uint64_t>(info.st_size) == size &&
           info.st_uid == ::geteuid();
}

std::span<char> PlacedFile::room(size_t least) {
    if (buffer_.size() - filled_ < least) {
        if (ranks_.is_alone() && filled_ > 0) write_kept(std::exchange(end_, end_ + filled_));
        if (buffer_.size() - filled_ < least)
            buffer_.resize(std::max(first_buffer, 2 * buffer_.size() + least));
    }
    return std::span(buffer_).subspan(filled_);
}

void PlacedFile::write_kept(uint64_t offset) {
    std::string_view text(buffer_.data(), filled_);
    if (output_)
        output_->write_at(offset, text);
    else
        write_at(file_, offset, text, path_);
    written_ += filled_;
    filled_ = 0;
}

void PlacedFile::place(uint64_t before, uint64_t all) {
    offset_ = end_ + (is_shared_ ? before : 0);
    end_ += all;
    if (!is_shared_) hand_over();
}

void PlacedFile::hand_over() {
    PerRank<std::vector<char>> parts =
        ranks_.gather(std::vector<char>(buffer_.data(), buffer_.data() + filled_));
    filled_ = 0;
    for (const std::vector<char>& part : parts) {
        if (buffer_.size() < filled_ + part.size()) buffer_.resize(filled_ + part.size());
        std::ranges::copy(part, buffer_.begin() + static_cast<std::ptrdiff_t>(filled_));
        filled_ += part.size();
    }
}

void PlacedFile::write_placed() {
    if (filled_ > 0) write_kept(offset_);
}

// The last part is moved first, so that nothing is overwritten before it is moved.
void PlacedFile::replace_header(std::string_view header) {
    if (header.size() > header_) {
        const Fd file(::open(output_->open_file().c_str(), O_RDONLY | O_CLOEXEC));
        if (!file) throw system_error("cannot be read", path_);
        const uint64_t longer = header.size() - header_;
        std::vector<uint8_t> part(first_buffer);
        for (uint64_t end = end_; end > header_;) {
            const uint64_t size = std::min<uint64_t>(part.size(), end - header_);
            end -= size;
            read_at(file, end, std::span(part).first(size), path_);
            output_->write_at(end + longer, {reinterpret_cast<const char*>(part.data()), size});
        }
        end_ += longer;
    }
    output_->write_at(0, header);
}

void PlacedFile::finish(std::string_view header) {
    ranks_.agree([&] {
        if (ranks_.is_alone() && filled_ > 0) write_kept(std::exchange(end_, end_ + filled_));
        if (output_) replace_header(header);
        if (file_) close(file_, path_);
    });
    ranks_.agree([&] {
        if (!output_) return;
        uint64_t size = std::filesystem::file_size(output_->beside());
        if (size != end_)
            throw Error(fmt::format("has {} bytes, {} were written (is the disk full?)", size, end_), path_);
    });
}

void PlacedFile::commit_as(const std::filesystem::path& path) {
    if (output_) output_->commit_as(path);
}

void place_kept(const Ranks& ranks, std::span<PlacedFile* const> files) {
    std::vector<uint64_t> bytes, before(files.size()), all(files.size());
    for (const PlacedFile* file : files) bytes.push_back(file->kept());
    int rank = 0;
    for (const std::vector<uint64_t>& of_rank : ranks.allgather_equal(bytes)) {
        if (rank++ == ranks.rank()) before = all;
        std::ranges::transform(all, of_rank, all.begin(), std::plus());
    }
    for (size_t f = 0; f < files.size(); ++f) files[f]->place(before[f], all[f]);
}

void write_placed(const Ranks& ranks, std::span<PlacedFile* const> files) {
    for (size_t i = 0; i < files.size(); ++i)
        files[(i + static_cast<size_t>(ranks.rank())) % files.size()]->write_placed();
}

uint64_t bytes_written(std::span<PlacedFile* const> files) {
    uint64_t sum = 0;
    for (const PlacedFile* file : files) sum += file->bytes_written();
    return sum;
}

}  // namespace ovni
