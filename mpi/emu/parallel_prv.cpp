#include "emu/parallel_prv.hpp"

#include <unistd.h>

#include <algorithm>

#include "base/file.hpp"
#include "sink/pcf.hpp"
#include "sink/row.hpp"

namespace ovni {

namespace {

void check(int status, const std::string& what, const std::filesystem::path& path) {
    if (status == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(status, text, &length);
    throw Error(fmt::format("{}: {}", what, std::string(text, static_cast<size_t>(length))), path.string());
}

}  // namespace

ParallelPrv::ParallelPrv(const Comm& comm, std::filesystem::path directory, TraceFile file,
                         const FileSchema& schema)
    : comm_(comm),
      directory_(std::move(directory)),
      name_(schema.name),
      rows_(schema.rows.size()),
      text_(file, schema.rows.size()) {
    auto pid = comm_.broadcast<int64_t>(::getpid());
    beside_ = directory_ / fmt::format("{}.prv.tmp.{}", name_, pid);
    // The root makes the file, so that a directory that cannot be written to is told with the reason.
    comm_.agree([&] {
        if (comm_.is_root()) OutputFile(beside_).commit_as(beside_);
    });
    int status = MPI_File_open(comm_.get(), beside_.c_str(), MPI_MODE_WRONLY, MPI_INFO_NULL, &file_);
    comm_.agree([&] { check(status, "cannot open", beside_); });
    std::string header = prv_header(rows_, 0);
    comm_.agree([&] {
        if (comm_.is_root()) write_at(0, header);
    });
    end_ = header.size();
}

ParallelPrv::~ParallelPrv() {
    if (file_ == MPI_FILE_NULL) return;
    MPI_File_close(&file_);
    if (comm_.is_root()) ::unlink(beside_.c_str());
}

void ParallelPrv::write_at(uint64_t offset, const std::string& text) {
    constexpr size_t longest = size_t{1} << 30;
    for (size_t at = 0; at < text.size(); at += longest) {
        auto count = static_cast<int>(std::min(longest, text.size() - at));
        int status = MPI_File_write_at(file_, static_cast<MPI_Offset>(offset + at), text.data() + at, count,
                                       MPI_BYTE, MPI_STATUS_IGNORE);
        check(status, "cannot write", beside_);
    }
}

void ParallelPrv::write(std::span<const Record> slice) {
    buffer_.clear();
    text_.append(slice, buffer_);
    uint64_t mine = buffer_.size();
    uint64_t offset = end_ + comm_.exscan(mine);
    comm_.agree([&] { write_at(offset, buffer_); });
    end_ += comm_.allreduce(Op::sum, mine);
}

std::filesystem::path ParallelPrv::final_path(const char* extension, Ending ending) const {
    return directory_ / (name_ + (ending == Ending::partial ? ".partial" : "") + extension);
}

void ParallelPrv::end(const FileSchema& schema, int64_t duration, Ending ending) {
    comm_.agree([&] {
        if (comm_.is_root()) write_at(0, prv_header(rows_, duration));
    });
    int status = MPI_File_close(&file_);
    comm_.agree([&] {
        check(status, "cannot write", beside_);
        if (!comm_.is_root()) return;
        write_file(final_path(".pcf", ending), pcf_text(schema));
        write_file(final_path(".row", ending), row_text(schema));
        std::filesystem::rename(beside_, final_path(".prv", ending));
    });
}

}  // namespace ovni
