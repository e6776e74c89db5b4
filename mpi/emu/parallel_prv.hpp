// One Paraver file with its PCF and ROW, written by all ranks: each formats its slice of the records, a scan
// of the byte counts gives the offsets. Collected under names beside the final ones.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "emu/record.hpp"
#include "emu/schema.hpp"
#include "mpi/comm/comm.hpp"
#include "sink/prv_text.hpp"
#include "sink/sink.hpp"

namespace ovni {

// Functions are collective and throw Stopped, unless they say that they are local.
class ParallelPrv {
 public:
    ParallelPrv(const Comm& comm, std::filesystem::path directory, TraceFile file, const FileSchema& schema);

    // Local: the next slice of this rank as text, which is written at `offset` (may throw Error). grow() says
    // where the next `bytes_of_all` begin, those of all ranks.
    void format(std::span<const Record> slice);
    uint64_t formatted() const { return filled_; }
    void write_formatted(uint64_t offset);
    uint64_t grow(uint64_t bytes_of_all) { return std::exchange(end_, end_ + bytes_of_all); }
    // Do all ranks see the file?
    bool is_shared() const { return is_shared_; }
    // Where not all ranks see the file rank 0 writes it: brings there what all have formatted. Collective.
    void hand_over();
    // Everything is written, still beside the final names.
    void finish(const FileSchema& schema, int64_t duration, Ending ending);
    // The final names, the PRV file last. Complete outputs replace partial ones of an earlier emulation.
    void commit();

 private:
    // Rank 0 has it: a file that is removed again unless it gets its name.
    class Beside {
     public:
        Beside() = default;
        Beside(const Beside&) = delete;
        Beside& operator=(const Beside&) = delete;
        ~Beside();
        // Errors name the output, not the file beside.
        void create(const std::filesystem::path& path, std::string_view content,
                    const std::filesystem::path& output);
        void commit_as(const std::filesystem::path& output);
        const std::filesystem::path& path() const { return path_; }

     private:
        std::filesystem::path path_;
    };

    bool sees(const std::filesystem::path& beside, uint64_t size);
    void check_size();
    std::filesystem::path final_path(const char* extension, Ending ending = Ending::complete) const;

    const Comm& comm_;
    std::filesystem::path directory_;
    std::string name_;
    std::filesystem::path path_;  // the final name, for messages
    Ending ending_ = Ending::complete;
    Beside beside_;
    std::vector<OutputFile> side_files_;
    size_t rows_;
    PrvText text_;
    std::vector<char> buffer_;
    size_t filled_ = 0;
    uint64_t end_ = 0;  // of the file when all is written that was formatted
    Fd file_;           // of other ranks than 0 only where all see it
    bool is_shared_ = true;
};

}  // namespace ovni
