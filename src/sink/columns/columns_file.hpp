// Columns of records in an HDF5 file, for analysis: ovniemu --help columns has the layout. Its users filter
// the chunks (chunk_filter.hpp), so that many processes can do that for one file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "sink/facts.hpp"
#include "sink/sink.hpp"

namespace ovni {

enum class ColumnKind : uint8_t { channel, breakdown, messages, waits, collectives };

// A dataset: a channel type, one of Schema::breakdowns, or of what crosses processes.
struct ColumnName {
    ColumnKind kind = ColumnKind::channel;
    uint16_t number = 0;
};

class ColumnsFile {
 public:
    // Throws UsageError in a build without HDF5.
    static void expect_library();
    // Collects rows next to `path` and gives the complete file its name; "x.partial.h5" for Ending::partial.
    // Without end() nothing is left. Throws Error.
    static std::unique_ptr<ColumnsFile> make(const std::filesystem::path& path, const Schema& schema);
    virtual ~ColumnsFile() = default;

    // The next chunk of a dataset, `count` rows of its type: as many as a chunk has, except for the last one,
    // which is filled up. A dataset of fewer rows than a chunk has just that one, of its own size.
    virtual void append(ColumnName column, size_t count, std::span<const uint8_t> filtered) = 0;
    virtual void end(const Schema& schema, const Facts& facts, int64_t duration, Ending ending) = 0;
};

}  // namespace ovni
