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
    std::string relative_path;  // empty if the trace directory is itself a stream
    std::string json = {};      // content of stream.json
    uint64_t bytes = 0;         // size of stream.obs
    // Set by salvage.hpp alone: `bytes` counts only the good ones; the CPUs that events name.
    bool is_cut = false;
    std::vector<int> cpus = {};
    // The trace directory that holds the stream, if every node has its own; empty: that of the trace.
    std::filesystem::path root = {};
    bool is_copy = false;  // `root` is private to this program: messages name the trace directory
};

// The directory of the stream's files.
std::filesystem::path directory_of(const StreamFile& file, const std::filesystem::path& trace_directory);

// Relative paths, sorted.
struct FoundStreams {
    std::vector<std::string> streams;
    std::vector<std::string> without_metadata;  // stream.obs alone
};

// The streams below `directory`; links are followed, loops are not. Throws Error for a directory that cannot
// be read.
FoundStreams find_streams(const std::filesystem::path& directory);

// Warns about streams without metadata; throws Error if no stream has any.
void expect_metadata(const std::filesystem::path& directory, const FoundStreams& found);
// The message about one stream without metadata.
Error no_metadata(const std::filesystem::path& directory, const std::string& relative_path);

// Reads stream.json and checks the header of stream.obs. Throws Error for a stream.obs that is missing,
// empty, too short or of another format.
StreamFile read_stream(const std::filesystem::path& directory, const std::string& relative_path);

// All streams with metadata. Throws Error if there are streams, but none with metadata.
std::vector<StreamFile> list_streams(const std::filesystem::path& directory);

struct Stream {
    std::string relative_path;
    std::string directory;  // of its files
    std::string shown;      // what messages call it: the directory, if its files are no copy
    uint64_t bytes = 0;     // size of stream.obs, or its good part; 8: no events
    bool is_cut = false;
    bool is_running = false;  // its program goes on: there may be more in the file by now
    bool is_readable() const { return !is_cut || bytes > OVNI_FORMAT_STREAM_HEADER; }
    StreamMetadata metadata;
};

// How much of stream.json is read: emulation needs its members; ovnidump, ovnitop and ovnisort take any
// stream of the right version, and leave Stream::metadata empty.
enum class Metadata { interpreted, version_only };

// Unsorted regions: handed out as they are in the file, or as if ovnisort had sorted them.
enum class Regions { as_they_are, sorted };

class Trace {
 public:
    // Lists and interprets.
    static Trace open(const std::filesystem::path& directory, Metadata metadata = Metadata::interpreted);
    // Reads the files of `copy`, which messages call `directory`.
    static Trace open_copy(const std::filesystem::path& copy, const std::filesystem::path& directory,
                           Metadata metadata = Metadata::interpreted);
    // Interprets the result of list_streams(), of this or another rank, on so many threads. Warns about
    // streams without events.
    Trace(const std::filesystem::path& directory, const std::vector<StreamFile>& files,
          Metadata metadata = Metadata::interpreted, size_t threads = 1);

    // The stream ends at `bytes`, between two events, from now on, as by damage.
    void cut(uint32_t stream, uint64_t bytes);

    const std::filesystem::path& directory() const { return directory_; }
    const std::vector<Stream>& streams() const { return streams_; }
    // A reader of one stream; this call opens the file. If regions are sorted, it reads the file once, and
    // warns about empty regions.
    StreamReader reader(uint32_t stream, ClockLine clock, ClockOrder order,
                        Regions regions = Regions::as_they_are,
                        Checksums checksums = Checksums::compared) const;
    // Readers of all streams, with their raw clocks.
    std::vector<StreamReader> readers(ClockOrder order) const;
    // "<directory>/<relative path>/stream.obs", and of its metadata, as messages name them.
    std::string path_of(uint32_t stream) const;
    std::string json_path_of(uint32_t stream) const;

 private:
    std::filesystem::path directory_;
    std::vector<Stream> streams_;
};

}  // namespace ovni
