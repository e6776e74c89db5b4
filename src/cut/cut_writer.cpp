#include "cut/cut_writer.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <string_view>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/open_directory.hpp"
#include "base/outputs.hpp"
#include "base/temporary_output.hpp"
#include "core/stream_crc.hpp"
#include "cut/cut_metadata.hpp"
#include "emu/plan/start.hpp"
#include "packed/block.hpp"
#include "trace/checksums.hpp"
#include "trace/clock_file.hpp"
#include "trace/clock_table.hpp"
#include "trace/gaps.hpp"
#include "trace/stream_files.hpp"
#include "trace/stream_output.hpp"

namespace ovni {

namespace fs = std::filesystem;

namespace {

constexpr int spaces = 4;

fs::path below(const fs::path& directory, const Stream& stream) {
    return stream.path.empty() ? directory : directory / stream.relative_path();
}

std::string text_of(const nlohmann::ordered_json& json) {
    return json.dump(spaces, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

// Signals that end the process.
sigset_t ending_signals() {
    sigset_t signals;
    sigemptyset(&signals);
    for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction action {};
        if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(&signals, signal);
    }
    return signals;
}

void stop_if_signalled() {
    sigset_t pending, both, ending = ending_signals();
    if (sigpending(&pending) != 0) return;
    sigandset(&both, &pending, &ending);
    if (!sigisemptyset(&both)) throw Error("interrupted, nothing was written");
}

// The events of a stream that are inside, and its gaps.
class StreamWriter {
 public:
    StreamWriter(const fs::path& directory, const StreamCut& cut, const CutOptions& options,
                 packed::BlockMaker* packed)
        : cut_(cut), options_(options), output_(directory, packed) {
        if (cut.gap) {
            gaps_.push_back(*cut.gap);
            gaps_.back().offset += output_.offset();
            clip(gaps_.back());
        }
        output_.append(cut.opening);
    }

    void take(const EventView& event, bool is_inside) {
        if (event.kind == EventView::Kind::gap_begin && is_inside) {
            gaps_.push_back(*event.gap);
            gaps_.back().offset = output_.offset();
            gaps_.back().from = std::max(gaps_.back().from, cut_.raw_from);
            clip(gaps_.back());
        }
        if (event.kind != EventView::Kind::event || !options_.keeps(event.code)) return;
        uint64_t number = count_++;
        if (!is_inside) return;
        if (auto before = cut_.inserted.find(number); before != cut_.inserted.end())
            output_.append(before->second);
        if (cut_.dropped.contains(number)) return;
        output_.append(
            {reinterpret_cast<const char*>(event.bytes), OVNI_FORMAT_EVENT_HEADER + event.payload().size()});
        if (!output_.is_full()) return;
        stop_if_signalled();
        output_.flush();
    }

    void end() {
        for (auto behind = cut_.inserted.lower_bound(count_); behind != cut_.inserted.end(); ++behind)
            output_.append(behind->second);
        output_.append(cut_.closing);
        stop_if_signalled();
        output_.commit();
    }

    const std::vector<Gap>& gaps() const { return gaps_; }

 private:
    void clip(Gap& gap) const {
        if (gap.to >= cut_.raw_to) gap.to = std::numeric_limits<int64_t>::max();
    }

    const StreamCut& cut_;
    const CutOptions& options_;
    StreamOutput output_;
    uint64_t count_ = 0;
    std::vector<Gap> gaps_;
};

uint64_t count_events(std::string_view events) {
    uint64_t count = 0;
    for (; !events.empty(); ++count)
        events.remove_prefix(
            ovni_format_event_size(reinterpret_cast<const uint8_t*>(events.data()), events.size()));
    return count;
}

class CutWriter {
 public:
    CutWriter(const Trace& trace, const ClockModel& clocks, const CutOptions& options, const CutPlan& plan,
              const fs::path& directory)
        : trace_(trace), clocks_(clocks), options_(options), plan_(plan), directory_(directory) {}

    CutSummary run() {
        write_metadata();
        for (uint32_t s = 0; s < trace_.streams().size(); ++s)
            if (plan_.streams[s].is_kept) write_stream(s);
        write_clocks();
        summary_.all_streams = trace_.streams().size();
        if (plan_.from != INT64_MIN) summary_.from = plan_.from - plan_.origin;
        if (plan_.to != INT64_MAX) summary_.to = plan_.to - plan_.origin;
        return summary_;
    }

 private:
    void write_metadata();
    void write_stream(uint32_t stream);
    void write_clocks();

    const Trace& trace_;
    const ClockModel& clocks_;
    const CutOptions& options_;
    const CutPlan& plan_;
    const fs::path& directory_;
    CutSummary summary_;
    packed::BlockMaker blocks_;
};

void CutWriter::write_metadata() {
    std::vector<CutMetadata> all;
    for (size_t s = 0; s < trace_.streams().size(); ++s) {
        const Stream& stream = trace_.streams()[s];
        const StreamCut& cut = plan_.streams[s];
        std::string path = file_in(trace_.files_of(static_cast<uint32_t>(s)), metadata_name);
        all.push_back({&stream.metadata, cut.is_kept, cut.ends_inside, !cut.opening.empty(),
                       parse_json(read_file(path), path)});
    }
    cut_metadata(all, options_);
    for (size_t s = 0; s < all.size(); ++s) {
        if (!all[s].is_kept) continue;
        fs::path directory = below(directory_, trace_.streams()[s]);
        make_directories(directory);
        write_file(directory / metadata_name, text_of(all[s].json));
    }
}

void CutWriter::write_stream(uint32_t s) {
    const Stream& stream = trace_.streams()[s];
    const StreamCut& cut = plan_.streams[s];
    fs::path directory = below(directory_, stream);
    StreamReader reader = open_stream(trace_, clocks_, s, options_.regions, Checksums::compared_quietly);
    const bool is_packed =
        options_.form == StreamForm::packed || (options_.form == StreamForm::as_it_was && reader.is_packed());
    StreamWriter writer(directory, cut, options_, is_packed ? &blocks_ : nullptr);
    ++summary_.streams;
    auto see = [&](int64_t clock) { summary_.begin = std::min(summary_.begin, clock - plan_.origin); };
    if (!cut.opening.empty())
        see(reader.clock().corrected(
            static_cast<int64_t>(ovni_format_clock(reinterpret_cast<const uint8_t*>(cut.opening.data())))));
    while (reader.next()) {
        const EventView& event = reader.event();
        if (event.clock >= plan_.to) break;
        bool is_inside = event.clock >= plan_.from;
        writer.take(event, is_inside);
        if (!is_inside || event.kind != EventView::Kind::event || !options_.keeps(event.code)) continue;
        see(event.clock);
        ++summary_.events;
    }
    reader.check_what_was_read();
    writer.end();
    summary_.events += count_events(cut.opening) + count_events(cut.closing);
    if (!writer.gaps().empty()) write_gaps(directory, writer.gaps());
    // A packed stream has checksums of its own.
    std::error_code none;
    const bool had_checksums =
        reader.is_packed() || fs::exists(file_in(trace_.files_of(s), stream_crc_name), none);
    if (had_checksums && !is_packed) write_checksums(directory);
}

// Writes the clocks of the hosts that are left; the reference rejects others.
void CutWriter::write_clocks() {
    std::set<std::string, std::less<>> hosts;
    for (size_t s = 0; s < trace_.streams().size(); ++s) {
        if (!plan_.streams[s].is_kept) continue;
        const StreamMetadata& metadata = trace_.streams()[s].metadata;
        hosts.insert(host_of(metadata));
        hosts.emplace(host_of_loom(metadata.common->loom));
    }
    if (auto text = read_side_file(trace_.directory() / clock_table_name)) {
        std::string table = clock_table_of(*text, hosts);
        if (!table.empty()) write_file(directory_ / clock_table_name, table);
    }
    std::string path = trace_.directory() / clock_file_name;
    if (auto text = read_side_file(path)) {
        parse_clock_file(*text, path);
        nlohmann::ordered_json json = parse_json(*text, path);
        auto is_gone = [&](const nlohmann::ordered_json& node) {
            return !hosts.contains(host_of_loom(node["host"].get<std::string>()));
        };
        auto& nodes = json["nodes"];
        nodes.erase(std::remove_if(nodes.begin(), nodes.end(), is_gone), nodes.end());
        if (!nodes.empty()) write_file(directory_ / clock_file_name, text_of(json));
    }
}

}  // namespace

OutputDirectory::SignalsWait::SignalsWait() {
    sigset_t signals = ending_signals();
    sigprocmask(SIG_BLOCK, &signals, &before_);
}

OutputDirectory::SignalsWait::~SignalsWait() {
    sigprocmask(SIG_SETMASK, &before_, nullptr);
}

fs::path new_directory(fs::path path) {
    while (path.has_relative_path() && path.filename().empty()) path = path.parent_path();
    std::error_code fault;
    if (is_foreign_link(path)) throw Error(foreign_link_text, path);
    fs::file_status status = fs::symlink_status(path, fault);
    if (!fs::exists(status)) return resolved(path);
    bool is_free = fs::is_directory(status) && fs::is_empty(path, fault) && !fault;
    if (!is_free) throw Error("is there already, and is not an empty directory", path);
    fs::path whole = resolved(path);
    if (fs::equivalent(whole, ".", fault))
        throw UsageError(fmt::format(
            "-o {} is the current directory, which cannot be replaced: name a new one", path.string()));
    struct stat here {
    }, above{};
    bool is_mount_point = ::stat(whole.c_str(), &here) == 0 &&
                          ::stat(whole.parent_path().c_str(), &above) == 0 && here.st_dev != above.st_dev;
    if (is_mount_point) throw Error("is a mount point, which cannot be replaced: name a new directory", path);
    return whole;
}

OutputDirectory::OutputDirectory(const fs::path& path)
    : path_(new_directory(path)), beside_(temporary_name(path_)) {
    remove_left_over(path_);
    if (path_.has_parent_path()) make_directories(path_.parent_path());
    held_ = make_new_directory(beside_, beside_);
}

OutputDirectory::~OutputDirectory() {
    std::error_code ignored;
    if (!beside_.empty()) fs::remove_all(beside_, ignored);
}

fs::path OutputDirectory::beside() const {
    return name_of_open(held_, beside_);
}

void OutputDirectory::commit() {
    std::error_code fault;
    fs::rename(beside_, path_, fault);
    if (fault) throw Error("cannot put the new trace into its place: " + fault.message(), path_);
    beside_.clear();
    expect_unchanged(held_, path_);
}

CutSummary write_cut(const Trace& trace, const ClockModel& clocks, const CutOptions& options,
                     const CutPlan& plan, const fs::path& directory) {
    return CutWriter(trace, clocks, options, plan, directory).run();
}

}  // namespace ovni
