#include "mpi/emu/parallel_prv.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "sink/output_names.hpp"
#include "sink/pcf.hpp"
#include "sink/row.hpp"

namespace ovni {

namespace {

constexpr size_t first_buffer = size_t{64} << 10;

}  // namespace

ParallelPrv::Beside::~Beside() {
    if (!path_.empty()) ::unlink(path_.c_str());
}

void ParallelPrv::Beside::create(const std::filesystem::path& path, std::string_view content,
                                 const std::filesystem::path& output) {
    Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!file) throw system_error("cannot create", output);
    path_ = path;
    write_at(file, 0, content, output);
    close(file, output);
}

void ParallelPrv::Beside::commit_as(const std::filesystem::path& output) {
    if (::rename(path_.c_str(), output.c_str()) != 0)
        throw system_error("cannot put the new file into its place", output);
    path_.clear();
}

ParallelPrv::ParallelPrv(const Comm& comm, std::filesystem::path directory, TraceFile file,
                         const FileSchema& schema)
    : comm_(comm),
      directory_(std::move(directory)),
      name_(schema.name),
      rows_(schema.rows.size()),
      text_(file, schema.rows.size()) {
    auto pid = comm_.broadcast<int64_t>(::getpid());
    path_ = final_path(".prv");
    std::filesystem::path beside = directory_ / fmt::format("{}.prv.tmp.{}", name_, pid);
    // The root makes the file, so that a directory that cannot be written to is told with the reason.
    std::string header = prv_header(rows_, 0);
    end_ = header.size();
    comm_.agree([&] {
        if (comm_.is_root()) beside_.create(beside, header, path_);
    });
    bool is_seen = sees(beside, end_);
    comm_.agree([&] {
        if (comm_.is_root() && !is_seen) throw system_error("cannot be opened again", path_);
    });
    is_shared_ = comm_.allreduce(Op::min, int64_t{is_seen}) == 1;
    if (!is_shared_ && !comm_.is_root()) file_ = Fd();
}

// A file of the same name on another disk would be left from an emulation that was killed, and longer.
bool ParallelPrv::sees(const std::filesystem::path& beside, uint64_t size) {
    file_ = Fd(::open(beside.c_str(), O_WRONLY | O_CLOEXEC));
    std::error_code fault;
    return file_ && std::filesystem::file_size(beside, fault) == size && !fault;
}

// The buffer keeps its size from slice to slice.
void ParallelPrv::format(std::span<const Record> slice) {
    filled_ = 0;
    while (!slice.empty()) {
        auto [taken, bytes] = text_.format(slice, std::span(buffer_).subspan(filled_));
        filled_ += bytes;
        slice = slice.subspan(taken);
        if (!slice.empty()) buffer_.resize(2 * buffer_.size() + first_buffer);
    }
}

void ParallelPrv::hand_over() {
    if (is_shared_) return;
    PerRank<std::vector<char>> all =
        comm_.gather(std::vector<char>(buffer_.data(), buffer_.data() + filled_));
    filled_ = 0;
    for (const std::vector<char>& part : all) {
        if (buffer_.size() < filled_ + part.size()) buffer_.resize(filled_ + part.size());
        std::ranges::copy(part, buffer_.begin() + static_cast<std::ptrdiff_t>(filled_));
        filled_ += part.size();
    }
}

void ParallelPrv::write_formatted(uint64_t offset) {
    if (filled_ == 0) return;
    write_at(file_, offset, {buffer_.data(), filled_}, path_);
}

std::filesystem::path ParallelPrv::final_path(const char* extension, Ending ending) const {
    return output_path(directory_, name_, extension, ending);
}

void ParallelPrv::check_size() {
    uint64_t size = std::filesystem::file_size(beside_.path());
    if (size != end_)
        throw Error(fmt::format("has {} bytes, {} were written (is the disk full?)", size, end_), path_);
}

void ParallelPrv::finish(const FileSchema& schema, int64_t duration, Ending ending) {
    comm_.agree([&] {
        if (comm_.is_root()) write_at(file_, 0, prv_header(rows_, duration), path_);
        if (file_) close(file_, path_);
    });
    comm_.agree([&] {
        if (!comm_.is_root()) return;
        check_size();
        ending_ = ending;
        side_files_.emplace_back(final_path(".pcf", ending)).write(pcf_text(schema));
        side_files_.emplace_back(final_path(".row", ending)).write(row_text(schema));
    });
}

void ParallelPrv::commit() {
    comm_.agree([&] {
        if (!comm_.is_root()) return;
        for (OutputFile& file : side_files_) file.commit();
        beside_.commit_as(final_path(".prv", ending_));
        if (ending_ != Ending::partial) remove_partial(directory_, name_);
    });
}

}  // namespace ovni
