#include "trace/trace.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <memory>
#include <set>
#include <span>
#include <string_view>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/parallel.hpp"
#include "trace/checksums.hpp"
#include "trace/stream_files.hpp"

namespace ovni {

namespace fs = std::filesystem;

namespace {

// Visits every directory once. Symbolic links to directories wait until all real ones were visited, so a
// stream keeps its real name; everything is visited in sorted order, so the result does not depend on the
// order in which the file system lists.
class Walk {
 public:
    explicit Walk(fs::path root) : root_(std::move(root)) { real_.emplace(); }

    FoundStreams run() {
        while (!real_.empty() || !linked_.empty()) {
            std::set<std::string>& from = real_.empty() ? linked_ : real_;
            visit(from.extract(from.begin()).value());
        }
        std::ranges::sort(streams_);
        std::ranges::sort(events_);
        FoundStreams found;
        std::ranges::set_difference(events_, streams_, std::back_inserter(found.without_metadata));
        found.streams = std::move(streams_);
        return found;
    }

 private:
    struct Close {
        void operator()(DIR* listing) const { ::closedir(listing); }
    };
    using Listing = std::unique_ptr<DIR, Close>;

    void visit(const std::string& relative) {
        const std::string directory = relative.empty() ? root_.string() : root_.string() + "/" + relative;
        const Listing listing(::opendir(directory.c_str()));
        struct stat info {};
        if (!listing || ::fstat(::dirfd(listing.get()), &info) != 0)
            throw system_error("cannot open the directory", directory);
        if (!visited_.emplace(info.st_dev, info.st_ino).second) return;
        errno = 0;
        while (const dirent* entry = ::readdir(listing.get())) {
            see(listing, *entry, relative);
            errno = 0;
        }
        if (errno != 0) throw system_error("cannot read the directory", directory);
    }

    void see(const Listing& listing, const dirent& entry, const std::string& relative) {
        const std::string_view name = entry.d_name;
        if (name == "." || name == "..") return;
        const unsigned char type = type_of(listing, entry);
        if (type == DT_DIR) {
            const bool is_linked = entry.d_type != DT_DIR && is_link(listing, entry);
            (is_linked ? linked_ : real_)
                .insert(relative.empty() ? std::string(name) : fmt::format("{}/{}", relative, name));
        } else if (name == metadata_name && type == DT_REG) {
            streams_.push_back(relative);
        } else if (name == events_name) {
            events_.push_back(relative);
        }
    }

    // Behind a link. DT_UNKNOWN: neither a directory nor a regular file, or not to be seen.
    static unsigned char type_of(const Listing& listing, const dirent& entry) {
        if (entry.d_type != DT_LNK && entry.d_type != DT_UNKNOWN) return entry.d_type;
        struct stat info {};
        if (::fstatat(::dirfd(listing.get()), entry.d_name, &info, 0) != 0) return DT_UNKNOWN;
        return S_ISDIR(info.st_mode) ? DT_DIR : S_ISREG(info.st_mode) ? DT_REG : DT_UNKNOWN;
    }
    static bool is_link(const Listing& listing, const dirent& entry) {
        struct stat info {};
        return ::fstatat(::dirfd(listing.get()), entry.d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
               S_ISLNK(info.st_mode);
    }

    fs::path root_;
    std::set<std::string> real_, linked_;
    std::set<std::pair<dev_t, ino_t>> visited_;
    std::vector<std::string> streams_, events_;  // directories with metadata, and with events
};

fs::path without_trailing_slashes(const fs::path& directory) {
    std::string text = directory;
    while (text.size() > 1 && text.back() == '/') text.pop_back();
    return text;
}

}  // namespace

FoundStreams find_streams(const fs::path& directory) {
    return Walk(without_trailing_slashes(directory)).run();
}

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
              without_trailing_slashes(directory).string(), lacking.size(), fmt::join(named, ", "), others);
}

Error no_metadata(const fs::path& directory, const std::string& relative_path) {
    return Error("no stream.json next to it",
                 directory_of({.relative_path = relative_path}, directory) / events_name);
}

fs::path directory_of(const StreamFile& file, const fs::path& trace_directory) {
    fs::path root = without_trailing_slashes(file.root.empty() ? trace_directory : file.root);
    return file.relative_path.empty() ? root : root / file.relative_path;
}

// The part of a stream that grows still whose events are whole: that with checksums.
static uint64_t whole_bytes(const fs::path& of_stream, uint64_t bytes) {
    const uint64_t recorded = recorded_size(of_stream);
    return recorded > 0 ? std::min(recorded, bytes) : bytes;
}

StreamFile read_stream(const fs::path& directory, const std::string& relative_path) {
    fs::path of_stream = directory_of({.relative_path = relative_path}, directory);
    std::optional<std::string> text = read_side_file(of_stream / metadata_name);
    if (!text) throw Error("the file has vanished", of_stream / metadata_name);
    uint64_t bytes = check_stream_file(of_stream / events_name);
    if (is_of_running_program(*text)) bytes = whole_bytes(of_stream, bytes);
    return {relative_path, std::move(*text), bytes};
}

std::vector<StreamFile> list_streams(const fs::path& directory) {
    FoundStreams found = find_streams(directory);
    expect_metadata(directory, found);
    std::vector<StreamFile> files(found.streams.size());
    for_each_in_parallel(threads_for_files(files.size()), files.size(),
                         [&](size_t i) { files[i] = read_stream(directory, found.streams[i]); });
    return files;
}

Trace Trace::open(const fs::path& directory, Metadata metadata) {
    const std::vector<StreamFile> files = list_streams(directory);
    return Trace(directory, files, metadata, threads_for_files(files.size()));
}

Trace Trace::open_copy(const fs::path& copy, const fs::path& directory, Metadata metadata) {
    std::vector<StreamFile> files = list_streams(copy);
    for (StreamFile& file : files) file.root = copy, file.is_copy = true;
    return Trace(directory, files, metadata, threads_for_files(files.size()));
}

Trace::Trace(const fs::path& directory, const std::vector<StreamFile>& files, Metadata metadata,
             size_t threads)
    : directory_(without_trailing_slashes(directory)), streams_(files.size()) {
    for_each_in_parallel(threads, files.size(), [&](size_t i) {
        const StreamFile& file = files[i];
        Stream& stream = streams_[i];
        stream.relative_path = file.relative_path;
        stream.directory = directory_of(file, directory_);
        stream.shown = file.is_copy ? directory_of({.relative_path = file.relative_path}, directory_).string()
                                    : stream.directory;
        stream.bytes = file.bytes;
        stream.is_running = is_of_running_program(file.json);
        const std::string json = file_in(stream.shown, metadata_name);
        if (metadata == Metadata::interpreted)
            stream.metadata = parse_metadata(file.json, json);
        else
            check_metadata_version(file.json, json), stream.metadata.counters = counters_in(file.json);
        if (file.is_cut) cut(static_cast<uint32_t>(i), file.bytes);
    });
    for (const Stream& stream : streams_)
        if (stream.bytes == OVNI_FORMAT_STREAM_HEADER)
            log::warn("{}: no events", file_in(stream.shown, events_name));
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
    to_cut.metadata.end = StreamMetadata::End{"damage", 0, {}};
}

StreamReader Trace::reader(uint32_t stream, ClockLine clock, ClockOrder order, Regions regions,
                           Checksums checksums) const {
    const Stream& stream_of_trace = streams_.at(stream);
    StreamSource source{stream_of_trace.directory, stream, std::move(clock), order};
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

std::string Trace::path_of(uint32_t stream) const {
    return file_in(streams_.at(stream).shown, events_name);
}

std::string Trace::json_path_of(uint32_t stream) const {
    return file_in(streams_.at(stream).shown, metadata_name);
}

}  // namespace ovni
