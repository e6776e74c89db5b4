#include "trace/trace.hpp"

#include <algorithm>
#include <span>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/parallel.hpp"
#include "trace/checksums.hpp"
#include "trace/stream_files.hpp"

namespace ovni {

namespace fs = std::filesystem;

void expect_metadata(const fs::path& directory, const FoundStreams& found) {
    const std::vector<std::string>& lacking = found.without_metadata;
    if (lacking.empty()) return;
    if (found.streams.empty())
        throw Error(
            "no stream.json next to it, nor anywhere in the trace (was the program killed? see ovnirecover)",
            no_metadata(directory, lacking.front()).path);
    if (lacking.size() == 1) return log::warn("{}, left out", no_metadata(directory, lacking.front()).what());
    constexpr size_t most = 10;
    auto named = std::span(lacking).first(std::min(most, lacking.size()));
    std::string others =
        lacking.size() > most ? fmt::format(" and {} others", lacking.size() - most) : std::string();
    log::warn("{}: {} streams have no stream.json next to stream.obs and are left out: {}{}",
              without_trailing_slashes(directory), lacking.size(), fmt::join(named, ", "), others);
}

Error no_metadata(const fs::path& directory, const std::string& relative_path) {
    return Error("no stream.json next to it",
                 file_in(directory_of({.path = relative_path}, directory), events_name));
}

std::string directory_of(const Stream& stream, const std::string& trace_directory) {
    const std::string& own = stream.root->directory;
    std::string root = without_trailing_slashes(own.empty() ? trace_directory : own);
    return stream.path.empty() ? root : file_in(root, stream.relative_path());
}

// The part of a stream that grows still whose events are whole: that with checksums.
static uint64_t whole_bytes(const fs::path& of_stream, uint64_t bytes) {
    const uint64_t recorded = recorded_size(of_stream);
    return recorded > 0 ? std::min(recorded, bytes) : bytes;
}

Stream read_stream(const fs::path& directory, const std::string& relative_path, Metadata metadata) {
    Stream stream{.path = relative_path};
    const std::string of_stream = directory_of(stream, directory);
    const std::string json = file_in(of_stream, metadata_name);
    const std::string text = read_file(json);
    stream.bytes = check_stream_file(file_in(of_stream, events_name));
    stream.metadata =
        metadata == Metadata::interpreted ? parse_metadata(text, json) : parse_metadata_version(text, json);
    stream.is_running = is_of_running_program(text);
    if (stream.is_running) stream.bytes = whole_bytes(of_stream, stream.bytes);
    return stream;
}

std::vector<Stream> list_streams(const fs::path& directory, Metadata metadata) {
    const FoundStreams found = find_streams(directory);
    expect_metadata(directory, found);
    std::vector<Stream> streams(found.streams.size());
    for_each_in_parallel(threads_for_files(streams.size()), streams.size(),
                         [&](size_t i) { streams[i] = read_stream(directory, found.streams[i], metadata); });
    return streams;
}

Trace Trace::open(const fs::path& directory, Metadata metadata) {
    return Trace(directory, list_streams(directory, metadata));
}

Trace Trace::open_copy(const fs::path& copy, const fs::path& directory, Metadata metadata) {
    std::vector<Stream> streams = list_streams(copy, metadata);
    const Interned<Stream::Root> root(Stream::Root{copy, true});
    for (Stream& stream : streams) stream.root = root;
    return Trace(directory, std::move(streams));
}

Trace::Trace(const fs::path& directory, std::vector<Stream> streams)
    : directory_(without_trailing_slashes(directory)), streams_(std::move(streams)) {
    for (uint32_t s = 0; s < streams_.size(); ++s) {
        if (streams_[s].is_cut) cut(s, streams_[s].bytes);
        if (streams_[s].bytes == OVNI_FORMAT_STREAM_HEADER) log::warn("{}: no events", path_of(s));
    }
    log::info("loaded {} streams", streams_.size());
    if (streams_.empty())
        log::warn(
            "{}: no stream.json in it or below, nothing was recorded here (killed before it was written? see "
            "ovnirecover)",
            directory_.string());
}

void Trace::cut(uint32_t stream, uint64_t bytes) {
    Stream& to_cut = streams_.at(stream);
    to_cut.bytes = bytes;
    to_cut.is_cut = true;
    to_cut.metadata.finished = true;
    to_cut.metadata.end = StreamMetadata::End{std::string("damage"), 0, {}};
}

StreamReader Trace::reader(uint32_t stream, ClockLine clock, ClockOrder order, Regions regions,
                           Checksums checksums) const {
    const Stream& stream_of_trace = streams_.at(stream);
    StreamSource source{files_of(stream), stream, std::move(clock), order};
    source.ended_by_force = order == ClockOrder::checked && stream_of_trace.metadata.end.has_value();
    if (source.ended_by_force) source.open_until = stream_of_trace.metadata.end->clock;
    source.checksums = checksums;
    if (stream_of_trace.is_cut || stream_of_trace.is_running) source.until = stream_of_trace.bytes;
    source.block = block_for(streams_.size());
    if (regions == Regions::sorted) {
        source.sort = plan_regions(source.directory, source.block);
        if (source.sort->empty > 0) log::warn("{}: {} empty regions", path_of(stream), source.sort->empty);
    }
    return StreamReader(std::move(source));
}

std::vector<StreamReader> Trace::readers(ClockOrder order) const {
    std::vector<StreamReader> readers;
    readers.reserve(streams_.size());
    for (uint32_t i = 0; i < streams_.size(); ++i) readers.push_back(reader(i, 0, order));
    return readers;
}

std::string Trace::shown(const Stream& stream) const {
    if (stream.root->is_copy) return directory_of({.path = stream.path}, directory_);
    return directory_of(stream, directory_);
}

std::string Trace::files_of(uint32_t stream) const {
    return directory_of(streams_.at(stream), directory_);
}

std::string Trace::path_of(uint32_t stream) const {
    return file_in(shown(streams_.at(stream)), events_name);
}

std::string Trace::json_path_of(uint32_t stream) const {
    return file_in(shown(streams_.at(stream)), metadata_name);
}

}  // namespace ovni
