// All streams of a trace directory: every directory at any depth that holds stream.json, sorted by relative
// path with a bytewise comparison. The index in that order is a stream's identity: equal times resolve by it.
//
// Listing is separate from interpreting, so that one rank can list and hand the result to the others.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "trace/metadata.hpp"
#include "trace/stream_reader.hpp"

namespace ovni {

// One stream as found on disk: plain data, to be sent to other ranks.
struct StreamFile {
    std::string relative_path;  // empty where the trace directory is itself a stream
    std::string json = {};      // content of stream.json
    uint64_t bytes = 0;         // size of stream.obs
    // Of salvage.hpp alone: are those only the good ones, and which CPUs do events name?
    bool is_cut = false;
    std::vector<int> cpus = {};
    // The trace directory that holds it, where every node has one of its own; empty: that of the trace.
    std::filesystem::path root = {};
};

// Where the stream's files are.
std::filesystem::path directory_of(const StreamFile& file, const std::filesystem::path& trace_directory);

// Relative paths, sorted.
struct FoundStreams {
    std::vector<std::string> streams;
    std::vector<std::string> without_metadata;  // stream.obs alone
};

// Those below `directory`; links are followed, loops are not. Throws Error for a directory that cannot be
// read.
FoundStreams find_streams(const std::filesystem::path& directory);

// Warns about streams without metadata; throws Error where no stream has any.
void expect_metadata(const std::filesystem::path& directory, const FoundStreams& found);
// What is said of one.
Error no_metadata(const std::filesystem::path& directory, const std::string& relative_path);

// Reads stream.json and checks the header of stream.obs. Throws Error for a stream.obs that is missing,
// empty, too short or of another format.
StreamFile read_stream(const std::filesystem::path& directory, const std::string& relative_path);

// All streams with metadata, which one of them must have where there are any.
std::vector<StreamFile> list_streams(const std::filesystem::path& directory);

struct Stream {
    std::string relative_path;
    std::filesystem::path directory;
    uint64_t bytes = 0;  // size of stream.obs, or what is good of it; 8: no events
    bool is_cut = false;
    bool is_readable() const { return !is_cut || bytes > OVNI_FORMAT_STREAM_HEADER; }
    StreamMetadata metadata;
};

// What to do with stream.json: emulation needs its members; ovnidump, ovnitop and ovnisort take any stream of
// the right version, and leave Stream::metadata empty.
enum class Metadata { interpreted, version_only };

// Unsorted regions: handed out as they are in the file, or as if ovnisort had been there.
enum class Regions { as_they_are, sorted };

class Trace {
 public:
    // Lists and interprets.
    static Trace open(const std::filesystem::path& directory, Metadata metadata = Metadata::interpreted);
    // Interprets what list_streams() found, here or on another rank. Warns about streams without events.
    Trace(const std::filesystem::path& directory, const std::vector<StreamFile>& files,
          Metadata metadata = Metadata::interpreted);

    // From now on the stream ends there, between two events, as by damage.
    void cut(uint32_t stream, uint64_t bytes);

    const std::filesystem::path& directory() const { return directory_; }
    const std::vector<Stream>& streams() const { return streams_; }
    // A reader of one stream; the file is opened by this call, and read once where regions are sorted. Warns
    // about empty regions then.
    StreamReader reader(uint32_t stream, ClockLine clock, ClockOrder order,
                        Regions regions = Regions::as_they_are,
                        Checksums checksums = Checksums::compared) const;
    // Readers of all streams, with their raw clocks.
    std::vector<StreamReader> readers(ClockOrder order) const;
    // "<directory>/<relative path>/stream.obs", and of its metadata.
    std::string path_of(uint32_t stream) const;
    std::string json_path_of(uint32_t stream) const;

 private:
    std::filesystem::path directory_;
    std::vector<Stream> streams_;
};

}  // namespace ovni
