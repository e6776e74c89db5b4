// One Paraver file with its PCF and ROW, written by all ranks: each formats its slice of the records, a scan
// of the byte counts gives the offsets. Collected under names beside the final ones.
#pragma once

#include <mpi.h>

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "comm/comm.hpp"
#include "emu/record.hpp"
#include "emu/schema.hpp"
#include "sink/prv_text.hpp"
#include "sink/sink.hpp"

namespace ovni {

// Functions are collective and throw Stopped, unless they say that they are local.
class ParallelPrv {
 public:
    ParallelPrv(const Comm& comm, std::filesystem::path directory, TraceFile file, const FileSchema& schema);

    // Local: the next slice of this rank as text; where it goes, `before` bytes behind what all ranks wrote
    // so far, which may throw Error; and what all ranks wrote now.
    void format(std::span<const Record> slice);
    uint64_t formatted() const { return filled_; }
    void write_formatted(uint64_t before);
    void advance(uint64_t bytes_of_all) { end_ += bytes_of_all; }
    // Everything is written, still beside the final names.
    void finish(const FileSchema& schema, int64_t duration, Ending ending);
    // The final names, the PRV file last.
    void commit();

 private:
    // Rank 0 has it: a file that is removed again unless it gets its name.
    class Beside {
     public:
        Beside() = default;
        Beside(const Beside&) = delete;
        Beside& operator=(const Beside&) = delete;
        ~Beside();
        void create(const std::filesystem::path& path);
        void commit_as(const std::filesystem::path& path);

     private:
        std::filesystem::path path_;
    };

    void write_at(uint64_t offset, std::string_view text);
    void check_size();
    std::filesystem::path final_path(const char* extension, Ending ending) const;

    const Comm& comm_;
    std::filesystem::path directory_, path_, final_path_;
    std::string name_;
    Beside beside_;
    std::vector<OutputFile> side_files_;
    size_t rows_;
    PrvText text_;
    std::vector<char> buffer_;
    size_t filled_ = 0;
    uint64_t end_ = 0;  // of the file so far
    MPI_File file_ = MPI_FILE_NULL;
};

}  // namespace ovni
