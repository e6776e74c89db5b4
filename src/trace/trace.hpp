// All streams of a trace directory: every directory at any depth that holds stream.json, sorted by relative
// path with a bytewise comparison. The index in that order is a stream's identity: equal times resolve by it.
//
// Reading is separate from the trace, so that ranks can read shares and hand each other the results.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/interned.hpp"
#include "trace/find_streams.hpp"
#include "trace/metadata.hpp"
#include "trace/relative_path.hpp"
#include "trace/stream_reader.hpp"

namespace ovni {

// A stream: plain data, to be sent to other ranks.
struct Stream {
    // Empty if the trace directory is itself a stream. Every rank has all streams: the flags use its padding.
    [[no_unique_address]] RelativePath path = {};
    bool is_cut = false;
    bool is_running = false;  // its program goes on: there may be more in the file by now
    StreamMetadata metadata = {};
    uint64_t bytes = 0;                    // size of stream.obs, or its good part; 8: no events
    Interned<std::vector<int>> cpus = {};  // set by salvage.hpp alone: those that its events name
    // The trace directory that holds it, if every node has its own; empty: that of the trace.
    struct Root {
        std::string directory;
        bool is_copy = false;  // private to this program: messages name the trace directory
        bool operator==(const Root&) const = default;
        friend size_t hash_value(const Root& r) { return boost::hash<std::string>()(r.directory); }
    };
    Interned<Root> root = {};

    std::string relative_path() const { return path.text(); }
    bool is_readable() const { return !is_cut || bytes > OVNI_FORMAT_STREAM_HEADER; }
};

// The directory of the stream's files.
std::string directory_of(const Stream& stream, const std::string& trace_directory);

// Warns about streams without metadata; throws Error if no stream has any.
void expect_metadata(const std::filesystem::path& directory, const FoundStreams& found);
// The message about one stream without metadata.
Error no_metadata(const std::filesystem::path& directory, const std::string& relative_path);

// How much of stream.json is read: emulation needs its members; ovnidump, ovnitop and ovnisort take any
// stream of the right version, and know only the names of its counters.
enum class Metadata { interpreted, version_only };

// Reads stream.json and checks the header of stream.obs. Throws Error for metadata that parse_metadata()
// refuses, and for a stream.obs that is missing, empty, too short or of another format.
Stream read_stream(const std::filesystem::path& directory, const std::string& relative_path,
                   Metadata metadata = Metadata::interpreted);

// All streams with metadata. Throws Error if there are streams, but none with metadata.
std::vector<Stream> list_streams(const std::filesystem::path& directory,
                                 Metadata metadata = Metadata::interpreted);

// Unsorted regions: handed out as they are in the file, or as if ovnisort had sorted them.
enum class Regions { as_they_are, sorted };

class Trace {
 public:
    static Trace open(const std::filesystem::path& directory, Metadata metadata = Metadata::interpreted);
    // Reads the files of `copy`, which messages call `directory`.
    static Trace open_copy(const std::filesystem::path& copy, const std::filesystem::path& directory,
                           Metadata metadata = Metadata::interpreted);
    // The result of list_streams(), of this or another rank. Warns about streams without events.
    Trace(const std::filesystem::path& directory, std::vector<Stream> streams);

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
    // The directory of the files of a stream.
    std::string files_of(uint32_t stream) const;
    // "<directory>/<relative path>/stream.obs", and of its metadata, as messages name them.
    std::string path_of(uint32_t stream) const;
    std::string json_path_of(uint32_t stream) const;

 private:
    // The directory of its files as messages name it.
    std::string shown(const Stream& stream) const;

    std::filesystem::path directory_;
    std::vector<Stream> streams_;
};

}  // namespace ovni
