// The file of columns from many ranks, with the same bytes as from one process (sink/columns_sink.hpp): rows
// go to the rank that has their chunk, ranks filter their chunks, and rank 0 writes them, which then are some
// bytes for a row. It does so alone because HDF5 cannot close a file of many ranks after an error of one: all
// would wait for ever.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "emu/plan.hpp"
#include "mpi/comm/comm.hpp"
#include "mpi/emu/chunk_owners.hpp"
#include "sink/chunk_filter.hpp"
#include "sink/columns_file.hpp"

namespace ovni {

// All functions are collective and throw Stopped.
class ParallelColumns {
 public:
    ParallelColumns(const Comm& comm, const std::filesystem::path& path, const Plan& plan);

    // The next slices of the global order, and the lines of breakdowns in them.
    void write(std::span<const Record> records, const std::vector<std::vector<Record>>& lines);
    // All of it is that of rank 0.
    void finish(const Schema& schema, const Facts& facts, int64_t duration, Ending ending);

 private:
    // One dataset, alike on all ranks but for the chunks.
    struct Column {
        ColumnName name;
        uint64_t total = 0;                       // rows so far, on all ranks
        uint64_t written = 0;                     // chunks
        std::deque<std::vector<ColumnRow>> mine;  // chunks of this rank, from the first that is not written
    };

    size_t me() const { return static_cast<size_t>(comm_.rank()); }
    void hand_out();
    ColumnRow* rows_of(size_t column, uint64_t chunk);
    std::vector<uint64_t> whole_chunks() const;
    void write_until(const std::vector<uint64_t>& ends);

    const Comm& comm_;
    ChunkOwners owners_;
    std::unique_ptr<ColumnsFile> file_;  // on rank 0
    ChunkFilter filter_;
    std::vector<Column> columns_;  // channel types, then breakdowns
    std::vector<size_t> column_of_type_;
    size_t first_breakdown_ = 0;
    std::vector<std::vector<ColumnRow>> rows_;  // of this window, by column
    std::vector<ColumnRow> received_;
};

}  // namespace ovni
