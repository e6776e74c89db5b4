// All Paraver files of a trace, written by all ranks: thread, cpu and the breakdowns. Each rank formats its
// slice of the records; one gather of byte counts tells everybody where to write. On one node two writers in
// one file wait for each other, so ranks begin with different files.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "comm/comm.hpp"
#include "emu/exchange.hpp"
#include "emu/parallel_prv.hpp"
#include "emu/plan.hpp"
#include "emu/sorted_rows.hpp"

namespace ovni {

// All functions are collective and throw Stopped.
class ParallelOutput {
 public:
    ParallelOutput(const Comm& comm, const std::filesystem::path& directory, const Plan& plan,
                   const System& system);

    // The next slices of the global order: that of rank 0, of rank 1, ...
    void write(const Slice& slice);
    // By this rank, beside headers.
    uint64_t bytes_written() const { return bytes_written_; }
    // All files, complete, get their names.
    void finish(const Schema& schema, int64_t duration, Ending ending);

 private:
    std::vector<Record> breakdown_lines(size_t which, const Slice& slice);
    void write_formatted();

    const Comm& comm_;
    std::vector<std::unique_ptr<ParallelPrv>> files_;  // thread, cpu, breakdowns
    std::vector<SortedRows> rows_;                     // of the breakdowns, before the slices to come
    uint64_t bytes_written_ = 0;
};

}  // namespace ovni
