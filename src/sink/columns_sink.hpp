// The records of one process in a file of columns.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "sink/chunk_filter.hpp"
#include "sink/column_rows.hpp"
#include "sink/columns_file.hpp"
#include "sink/sink.hpp"

namespace ovni {

class ColumnsSink : public Sink {
 public:
    explicit ColumnsSink(std::filesystem::path path) : path_(std::move(path)) {}

    void begin(const Schema& schema) override;
    void write(std::span<const Record> records) override;
    void write_breakdown(size_t which, std::span<const Record> lines) override;
    // Before end(): what stands beside the records.
    void set_facts(Facts facts) { facts_ = std::move(facts); }
    void end(const Schema& schema, int64_t duration, Ending ending) override;

 private:
    struct Rows {
        std::vector<ColumnRow> pending;
        bool has_chunks = false;
    };
    void flush(ColumnName column, Rows& rows);

    std::filesystem::path path_;
    std::unique_ptr<ColumnsFile> file_;
    Facts facts_;
    ChunkFilter filter_;
    ByType<Rows> channels_;
    std::vector<Rows> breakdowns_;
};

}  // namespace ovni
