// Rows of what crosses processes on their way into the file, on rank 0, which filters and writes them: they
// are fewer than changes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "sink/columns/chunk_filter.hpp"
#include "sink/columns/column_rows.hpp"
#include "sink/columns/columns_file.hpp"

namespace ovni {

template <class Row>
class TrafficChunks {
 public:
    explicit TrafficChunks(ColumnKind kind) : kind_(kind) {}

    void add(std::span<const Row> rows) { rows_.insert(rows_.end(), rows.begin(), rows.end()); }
    // Whole chunks that are not in the file; the time of the last row of one of them.
    uint64_t whole() const { return rows_.size() / rows_in_chunk; }
    int64_t last_time(uint64_t chunk) const { return rows_[(chunk + 1) * rows_in_chunk - 1].time; }
    // Are there fewer rows than a chunk has behind these?
    bool has_part() const { return rows_.size() % rows_in_chunk > 0; }

    // In chunks, until fewer than `least` rows are left.
    void write(ColumnsFile& file, ChunkFilter& filter, size_t least) {
        while (!rows_.empty() && rows_.size() >= least) write_first(file, filter);
    }
    // The first chunk, or what there is. Few rows fill up the last chunk as channels do theirs.
    void write_first(ColumnsFile& file, ChunkFilter& filter) {
        const size_t count = std::min(rows_.size(), rows_in_chunk);
        std::vector<Row> chunk(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(count));
        rows_.erase(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(count));
        if (has_begun_) chunk.resize(rows_in_chunk);
        file.append({kind_}, count, filter.apply(std::span<const Row>(chunk)));
        has_begun_ = true;
    }

 private:
    ColumnKind kind_;
    std::deque<Row> rows_;    // that are not in the file
    bool has_begun_ = false;  // the file has some
};

}  // namespace ovni
