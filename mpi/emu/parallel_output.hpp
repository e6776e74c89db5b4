// All Paraver files of a trace, written by all ranks: thread, cpu and the breakdowns. Each rank formats its
// slice of the records; one gather of byte counts tells everybody where to write. Both is done in a thread
// beside the next window's emulation where the ranks of a node leave cores free: a slice is written together
// with the formatting of the next one.
#pragma once

#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <vector>

#include "emu/plan.hpp"
#include "emu/sorted_rows.hpp"
#include "mpi/comm/comm.hpp"
#include "mpi/emu/exchange.hpp"
#include "mpi/emu/parallel_columns.hpp"
#include "mpi/emu/parallel_prv.hpp"
#include "sink/writer.hpp"

namespace ovni {

// All functions are collective and throw Stopped.
class ParallelOutput {
 public:
    ParallelOutput(const Comm& comm, const std::filesystem::path& directory, const Plan& plan,
                   const System& system, Writer::Mode mode);

    // The next slices of the global order: that of rank 0, of rank 1, ... The slice's memory is swapped away.
    // `columns`: gets the same, or null.
    void write(Slice& slice, ParallelColumns* columns);
    // By this rank, beside headers.
    uint64_t bytes_written() const { return bytes_written_; }
    // All files, complete, get their names.
    void finish(const Schema& schema, int64_t duration, Ending ending);

 private:
    std::vector<Record> breakdown_lines(size_t which, const Slice& slice);
    void write_formatted(const std::vector<uint64_t>& offsets);
    void start(std::function<void()> work);
    std::vector<uint64_t> settle();

    const Comm& comm_;
    std::vector<std::unique_ptr<ParallelPrv>> files_;  // thread, cpu, breakdowns
    std::vector<SortedRows> rows_;                     // of the breakdowns, before the slices to come
    uint64_t bytes_written_ = 0;
    Writer::Mode mode_;
    RecordBuffer records_;  // what is formatted now
    std::vector<std::vector<Record>> lines_;
    std::future<void> work_;  // waits for its end when it goes
};

}  // namespace ovni
