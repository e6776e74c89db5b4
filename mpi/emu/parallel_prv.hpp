// One Paraver file written by all ranks: each formats its slice of the records, a scan of the byte counts
// gives the offsets. Collected under a name beside the final one; rank 0 renames at the end.
#pragma once

#include <mpi.h>

#include <filesystem>
#include <span>
#include <string>

#include "comm/comm.hpp"
#include "emu/record.hpp"
#include "emu/schema.hpp"
#include "sink/prv_text.hpp"
#include "sink/sink.hpp"

namespace ovni {

// Constructor, write() and end() are collective and throw Stopped.
class ParallelPrv {
 public:
    ParallelPrv(const Comm& comm, std::filesystem::path directory, TraceFile file, const FileSchema& schema);
    ParallelPrv(const ParallelPrv&) = delete;
    ParallelPrv& operator=(const ParallelPrv&) = delete;
    // Without end(), what was written is removed.
    ~ParallelPrv();

    // The next slices of the global order: that of rank 0, of rank 1, ...
    void write(std::span<const Record> slice);
    // Header, PCF and ROW by rank 0, then the final names.
    void end(const FileSchema& schema, int64_t duration, Ending ending);

 private:
    void write_at(uint64_t offset, const std::string& text);
    void close();
    std::filesystem::path final_path(const char* extension, Ending ending) const;

    const Comm& comm_;
    std::filesystem::path directory_, beside_;
    std::string name_;
    size_t rows_;
    PrvText text_;
    std::string buffer_;
    uint64_t end_ = 0;  // of the file so far
    MPI_File file_ = MPI_FILE_NULL;
};

}  // namespace ovni
