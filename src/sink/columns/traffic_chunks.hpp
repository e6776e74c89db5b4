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
    // The number of whole chunks that are not in the file, and the time of the last row of such a chunk.
    uint64_t whole() const { return rows_.size() / rows_in_chunk; }
    int64_t last_time(uint64_t chunk) const { return rows_[(chunk + 1) * rows_in_chunk - 1].time; }
    // True if rows that fill no chunk are left behind these.
    bool has_part() const { return rows_.size() % rows_in_chunk > 0; }

    // Writes chunks until fewer than `least` rows are left.
    void write(ColumnsFile& file, ChunkFilter& filter, size_t least) {
        while (!rows_.empty() && rows_.size() >= least) write_first(file, filter);
    }
    // Writes the first chunk, or all rows if they are fewer. The last chunk is filled up, as for channels.
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
