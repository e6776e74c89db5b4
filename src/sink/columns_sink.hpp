// Records as columns in an HDF5 file: one dataset per channel type, in chunks, and one of messages.
//
// Rows go to the rank that has their chunk, ranks filter their chunks, and rank 0 writes them, which then are
// some bytes for a row. Rank 0 writes alone because HDF5 cannot close a file of many ranks after an error of
// one: all would wait for ever. Alone a rank has every chunk. Messages are fewer: rank 0 gathers and filters
// those of each slice; waits and collectives at the end.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "sink/chunk_filter.hpp"
#include "sink/chunk_owners.hpp"
#include "sink/column_rows.hpp"
#include "sink/columns_file.hpp"
#include "sink/sink.hpp"
#include "sink/traffic_chunks.hpp"

namespace ovni {

class ColumnsSink : public Sink {
 public:
    explicit ColumnsSink(std::filesystem::path path) : path_(std::move(path)) {
        ColumnsFile::expect_library();
    }

    void begin(const Ranks& ranks, const Plan& plan) override;
    void share(const Slice& slice) override;
    void write(const Slice& slice) override;
    void end(const Outcome& outcome) override;
    bool needs_facts() const override { return true; }
    bool needs_regions() const override { return true; }

 private:
    using Rows = std::vector<ColumnRow>;
    // One dataset, alike on all ranks but for the chunks.
    struct Column {
        ColumnName name;
        uint64_t total = 0;     // rows so far, on all ranks
        uint64_t filtered = 0;  // chunks that their owners have filtered
        uint64_t written = 0;   // chunks that are in the file
        std::deque<Rows> mine;  // chunks of this rank, from the first that is not filtered
    };

    size_t me() const { return static_cast<size_t>(ranks_->rank()); }
    // Calls put(column, row) for every row of the slice.
    template <class Put>
    void visit_rows(const Slice& slice, Put put) const;
    void append(size_t column, const ColumnRow& row);
    void make_room(size_t column);
    void count_rows();
    Rows take_spare(size_t rows_if_new);
    ColumnRow* rows_of(size_t column, uint64_t chunk);
    size_t rows_in(size_t column, uint64_t chunk) const;

    void hand_out(const Slice& slice);
    void gather_messages(const Slice& slice);
    void write_messages(size_t least);
    template <class Row>
    void write_all(ColumnName::Kind kind, const std::vector<Row>& mine);
    void gather_filtered();
    std::vector<uint64_t> whole_chunks() const;
    std::vector<uint64_t> all_chunks() const;
    void filter_until(const std::vector<uint64_t>& ends);
    void write_gathered();

    std::filesystem::path path_;
    const Ranks* ranks_ = nullptr;
    ChunkOwners owners_{rows_in_chunk, 1};
    std::unique_ptr<ColumnsFile> file_;  // on rank 0
    ChunkFilter filter_;
    std::vector<Column> columns_;  // channel types, then breakdowns
    std::vector<size_t> column_of_type_;
    size_t first_breakdown_ = 0;
    std::vector<Rows> spare_;  // room for chunks
    TrafficChunks<MessageRow> messages_{ColumnName::Kind::messages};

    // Alone only, by column: where the next row goes, and where the room for it ends.
    struct Tail {
        ColumnRow* next = nullptr;
        ColumnRow* end = nullptr;
    };
    std::vector<Tail> tails_;

    // Only many ranks have it.
    std::vector<Rows> rows_;  // of this slice, by column
    Rows received_;
    std::vector<uint8_t> filtered_;           // chunks of this rank since the last gathering
    PerRank<std::vector<uint8_t>> gathered_;  // on rank 0: those of all ranks
    std::vector<uint64_t> ready_;             // by column: chunks that the next write() filters up to
};

}  // namespace ovni
