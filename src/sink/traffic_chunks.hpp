// Rows of what crosses processes on their way into the file, on rank 0, which filters and writes them: they
// are fewer than changes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "sink/chunk_filter.hpp"
#include "sink/column_rows.hpp"
#include "sink/columns_file.hpp"

namespace ovni {

template <class Row>
class TrafficChunks {
 public:
    explicit TrafficChunks(ColumnName::Kind kind) : kind_(kind) {}

    void add(std::span<const Row> rows) { rows_.insert(rows_.end(), rows.begin(), rows.end()); }
    // In chunks, until fewer than `least` rows are left. They fill up the last chunk as channels do theirs.
    void write(ColumnsFile& file, ChunkFilter& filter, size_t least) {
        size_t done = 0;
        while (rows_.size() - done >= least) {
            const size_t count = std::min(rows_.size() - done, rows_in_chunk);
            if (count < rows_in_chunk && has_begun_) rows_.resize(done + rows_in_chunk);
            const std::span chunk =
                std::span<const Row>(rows_).subspan(done, std::min(rows_.size() - done, rows_in_chunk));
            file.append({kind_}, count, filter.apply(chunk));
            has_begun_ = true;
            done += chunk.size();
        }
        rows_.erase(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(done));
    }

 private:
    ColumnName::Kind kind_;
    std::vector<Row> rows_;   // that are not in the file
    bool has_begun_ = false;  // the file has some
};

}  // namespace ovni
