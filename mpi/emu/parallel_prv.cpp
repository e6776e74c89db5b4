#include "emu/parallel_prv.hpp"

#include <unistd.h>

#include <algorithm>

#include "sink/pcf.hpp"
#include "sink/row.hpp"

namespace ovni {

namespace {

constexpr size_t first_buffer = size_t{64} << 10;

void check(int status, const std::string& what, const std::filesystem::path& path) {
    if (status == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(status, text, &length);
    throw Error(fmt::format("{}: {}", what, std::string(text, static_cast<size_t>(length))), path.string());
}

}  // namespace

ParallelPrv::Beside::~Beside() {
    if (!path_.empty()) ::unlink(path_.c_str());
}

void ParallelPrv::Beside::create(const std::filesystem::path& path) {
    OutputFile(path).commit();
    path_ = path;
}

void ParallelPrv::Beside::commit_as(const std::filesystem::path& path) {
    std::filesystem::rename(path_, path);
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
    path_ = directory_ / fmt::format("{}.prv.tmp.{}", name_, pid);
    // The root makes the file, so that a directory that cannot be written to is told with the reason.
    comm_.agree([&] {
        if (comm_.is_root()) beside_.create(path_);
    });
    int status = MPI_File_open(comm_.get(), path_.c_str(), MPI_MODE_WRONLY, MPI_INFO_NULL, &file_);
    comm_.agree([&] { check(status, "cannot open", path_); });
    std::string header = prv_header(rows_, 0);
    comm_.agree([&] {
        if (comm_.is_root()) write_at(0, header);
    });
    end_ = header.size();
}

// Open MPI reports success for a write to a full disk; only the count tells.
void ParallelPrv::write_at(uint64_t offset, std::string_view text) {
    constexpr size_t longest = size_t{1} << 30;
    for (size_t at = 0; at < text.size(); at += longest) {
        auto count = static_cast<int>(std::min(longest, text.size() - at));
        MPI_Status status;
        int result = MPI_File_write_at(file_, static_cast<MPI_Offset>(offset) + static_cast<MPI_Offset>(at),
                                       text.data() + at, count, MPI_BYTE, &status);
        check(result, "cannot write", path_);
        int written = 0;
        MPI_Get_count(&status, MPI_BYTE, &written);
        if (written != count)
            throw Error(fmt::format("cannot write: {} of {} bytes at {} arrived (is the disk full?)", written,
                                    count, offset + at),
                        path_);
    }
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

void ParallelPrv::write_formatted(uint64_t before) {
    write_at(end_ + before, {buffer_.data(), filled_});
}

std::filesystem::path ParallelPrv::final_path(const char* extension, Ending ending) const {
    return directory_ / (name_ + (ending == Ending::partial ? ".partial" : "") + extension);
}

void ParallelPrv::check_size() {
    if (std::filesystem::file_size(path_) != end_)
        throw Error(fmt::format("has {} bytes, {} were written (is the disk full?)",
                                std::filesystem::file_size(path_), end_),
                    path_);
}

void ParallelPrv::finish(const FileSchema& schema, int64_t duration, Ending ending) {
    comm_.agree([&] {
        if (comm_.is_root()) write_at(0, prv_header(rows_, duration));
    });
    int status = MPI_File_close(&file_);
    comm_.agree([&] {
        check(status, "cannot write", path_);
        if (!comm_.is_root()) return;
        check_size();
        final_path_ = final_path(".prv", ending);
        side_files_.emplace_back(final_path(".pcf", ending)).write(pcf_text(schema));
        side_files_.emplace_back(final_path(".row", ending)).write(row_text(schema));
    });
}

void ParallelPrv::commit() {
    comm_.agree([&] {
        if (!comm_.is_root()) return;
        for (OutputFile& file : side_files_) file.commit();
        beside_.commit_as(final_path_);
    });
}

}  // namespace ovni
