// Records as columns in an HDF5 file: one dataset per channel type, in chunks, and one of messages.
//
// Rows go to the rank that has their chunk, ranks filter their chunks down to some bytes for a row, and rank
// 0 writes them. Rank 0 writes alone because HDF5 cannot close a file of many ranks after an error of one:
// all would wait for ever. A single rank has every chunk. Messages are fewer: rank 0 gathers and filters
// those of each slice; waits and collectives at the end.
//
// Chunks come into the file in the order of their last rows, so that its bytes are equal for any number of
// ranks and any size of slices.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "sink/columns/chunk_filter.hpp"
#include "sink/columns/chunk_owners.hpp"
#include "sink/columns/column_rows.hpp"
#include "sink/columns/columns_file.hpp"
#include "sink/columns/traffic_chunks.hpp"
#include "sink/sink.hpp"

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
    // A dataset, alike on all ranks except for the chunks.
    struct Column {
        ColumnName name;
        uint64_t total = 0;     // rows so far, on all ranks
        uint64_t filtered = 0;  // chunks that their owners have filtered
        uint64_t gathered = 0;  // chunks that have come to rank 0
        std::deque<Rows> mine;  // chunks of this rank, from the first that is not filtered
    };

    // A chunk on its way into the file. The last chunk of a column, if it is not full, comes behind all full
    // chunks.
    struct DueChunk {
        int64_t last_time = 0;
        uint64_t column = 0;  // columns_.size(): of messages
        uint64_t chunk = 0;   // its number in the column
        uint64_t count = 0;   // rows
        uint64_t bytes = 0;   // if it has been filtered
        const uint8_t* filtered = nullptr;
        auto place() const { return std::tuple(last_time, column, chunk); }
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
    template <class Row>
    void write_all(ColumnKind kind, const std::vector<Row>& mine);
    void gather_filtered();
    std::vector<uint64_t> whole_chunks() const;
    std::vector<uint64_t> all_chunks() const;
    std::vector<DueChunk> due_chunks(const std::vector<uint64_t>& ends) const;
    std::vector<DueChunk> due_messages(uint64_t until) const;
    static void sort(std::vector<DueChunk>& due);
    std::span<const uint8_t> filter_first(const DueChunk& due);
    void write_messages();
    void note_filtered(const std::vector<uint64_t>& ends);
    void write_until(const std::vector<uint64_t>& ends, uint64_t messages);
    void filter_until(const std::vector<uint64_t>& ends);
    void write_gathered(uint64_t messages);

    std::filesystem::path path_;
    const Ranks* ranks_ = nullptr;
    ChunkOwners owners_{rows_in_chunk, 1};
    std::unique_ptr<ColumnsFile> file_;  // on rank 0
    ChunkFilter filter_;
    std::vector<Column> columns_;  // channel types, then breakdowns
    std::vector<size_t> column_of_type_;
    size_t first_breakdown_ = 0;
    std::vector<Rows> spare_;  // room for chunks
    TrafficChunks<MessageRow> messages_{ColumnKind::messages};
    uint64_t messages_written_ = 0;  // chunks

    // For a single rank, by column: where the next row goes, and where the room for rows ends.
    struct Tail {
        ColumnRow* next = nullptr;
        ColumnRow* end = nullptr;
    };
    std::vector<Tail> tails_;

    // For many ranks only.
    std::vector<Rows> rows_;  // of this slice, by column
    Rows received_;
    std::vector<uint8_t> filtered_;           // chunks of this rank since the last gathering
    PerRank<std::vector<uint8_t>> gathered_;  // on rank 0: those of all ranks
    // The numbers of chunks, by column, up to which the next write() filters.
    std::vector<uint64_t> ready_;
    uint64_t message_rows_ = 0;  // so far, on all ranks
    uint64_t ready_messages_ = 0, filtered_messages_ = 0, gathered_messages_ = 0;
};

}  // namespace ovni
