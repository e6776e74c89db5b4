#include "drain/metadata_file.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "ring/diagnostics.hpp"
#include "ring/posix_io.hpp"
#include "ring/stream_names.hpp"

namespace ovni::writer {
namespace {

const char* name_of(RingEnd end) {
    constexpr const char* names[] = {"", "exit", "signal", "recovered", "exec", "running"};
    return names[static_cast<size_t>(end)];
}

}  // namespace

void MetadataFile::start_over() {
    earlier_ = {};
    goes_on_by_owner_ = false;
}

void MetadataFile::find_earlier() {
    constexpr uint32_t by_owner = 1, by_drainer = 2;
    RingHeader& h = ring_.header();
    uint32_t continues = h.continues.load(std::memory_order_relaxed);
    goes_on_by_owner_ = continues == by_owner;
    auto found = ended_.find(place_.directory_in_trace());
    if (found != ended_.end()) {
        earlier_ = found->second;
        if (!goes_on_by_owner_) h.continues.store(by_drainer, std::memory_order_relaxed);
    } else if (continues == by_drainer && !h.at_once.load(std::memory_order_relaxed)) {
        // Another drainer knew it.
        std::optional<std::string> text = read_text(place_.path_of(metadata_file));
        if (text) earlier_.metadata = std::move(*text);
    }
}

// The last states last until the process is gone. A program may have clocks of its own, which that time has
// nothing to do with.
uint64_t MetadataFile::clock_of(const OwnerEnd& end) const {
    const uint64_t last = ring_.last_clock();
    return last < ring_.header().opened_at.load(std::memory_order_relaxed) ? last : std::max(last, end.at);
}

// An owner that continues a stream has noted its metadata, except for the drainers' counts. Returns how many
// events were lost before.
uint64_t MetadataFile::go_on_with_earlier(Json& metadata) const {
    const uint64_t lost = number_in(metadata["ovni"], "lost");
    std::optional<Json> before = json_parse(earlier_.metadata.c_str(), JsonNumbers::as_written);
    if (goes_on_by_owner_ || !before || !before->is_object() || !(*before)["ovni"].is_object())
        return lost + earlier_.lost;
    const uint64_t lost_before = number_in((*before)["ovni"], "lost");
    for (const char* member : {"end", "finished"}) (*before)["ovni"].erase(member);
    before->merge_patch(metadata);
    metadata = std::move(*before);
    return lost + lost_before;
}

Json MetadataFile::now(const OwnerEnd* end) const {
    const RingHeader& h = ring_.header();
    Json metadata = place_.metadata();
    if (!metadata["ovni"].is_object()) metadata["ovni"] = Json::object();
    const uint64_t lost = ring_.lost() + go_on_with_earlier(metadata);
    const uint64_t raised = h.raised.load(std::memory_order_relaxed) + ring_.moved().raised + earlier_.raised;
    Json& facts = metadata["ovni"];
    if (h.name[0] != '\0') facts["name"] = std::string(h.name, strnlen(h.name, sizeof h.name));
    if (lost > 0) facts["lost"] = lost;
    if (raised > 0) facts["raised"] = raised;
    if (uint64_t events = h.lost_elsewhere.load(std::memory_order_relaxed)) facts["lost_elsewhere"] = events;
    // The owner has set this by now, but may have no right any more to write a note.
    const bool is_closed = h.state.load(std::memory_order_acquire) == RingState::closed;
    const ExitInOrder exit = h.exit_in_order.load();
    if (is_closed || exit != ExitInOrder::no) facts["finished"] = 1;
    if (!is_closed && exit == ExitInOrder::amid) facts["goes_on"] = 1;
    if (end) {
        facts["end"] = {{"by", name_of(end->how)}, {"code", end->code}, {"clock", clock_of(*end)}};
        facts["finished"] = 1;
    } else if (gaps_.list().reach(ring_.progress().stream_end) && facts.contains("finished") &&
               !facts.contains("end")) {
        // The program's report of its end is lost.
        facts["end"] = {{"by", "loss"}, {"code", 0}, {"clock", ring_.last_clock()}};
    }
    return metadata;
}

bool MetadataFile::write(const OwnerEnd* end) const {
    std::string path = place_.path_of(metadata_file);
    if (replace_file(path, json_text(now(end), JsonStyle::pretty))) return true;
    complain(Trouble::metadata, "drain", "cannot write %s:", path.c_str());
    return false;
}

void MetadataFile::hand_on(const OwnerEnd* end) const {
    const RingHeader& h = ring_.header();
    Json metadata = now(end);
    EndedStream ended{{}, ring_.lost() + earlier_.lost, number_in(metadata["ovni"], "raised"), 0};
    if (h.lives.load(std::memory_order_relaxed) || h.life_is_ours.load(std::memory_order_relaxed))
        ended.open_life = ring_.last_clock();
    for (const char* member : {"end", "finished", "loom_cpus"}) metadata["ovni"].erase(member);
    ended.metadata = json_text(metadata, JsonStyle::compact);
    ended_[place_.directory_in_trace()] = std::move(ended);
}

}  // namespace ovni::writer
