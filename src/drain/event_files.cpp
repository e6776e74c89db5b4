#include "drain/event_files.hpp"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <vector>

#include "ovni/format.h"
#include "ring/diagnostics.hpp"
#include "ring/stream_names.hpp"

namespace ovni::writer {
namespace {

// Several processes of a machine may have one number; only one of them is in the first namespace.
bool may_have_namesakes(const RingHeader& ring) {
    return ring.pid_space != 0 && ring.pid_space != first_pid_space;
}

}  // namespace

bool EventFiles::open() {
    if (events_.is_open()) return true;
    using Content = StreamFile::Content;
    using Claim = StreamFile::Claim;
    const RingHeader& h = ring_.header();
    const RingProgress& now = ring_.progress();
    const uint64_t end = now.file_end;
    const StreamForm form = end > 0 ? now.form : h.form;
    bool goes_on = h.continues.load(std::memory_order_relaxed);
    Content content = goes_on ? Content::keep : Content::discard;
    if (end > OVNI_FORMAT_STREAM_HEADER) content = Content::existing;
    std::string path = place_.path_of(events_file);
    if (events_.open(path, content, form, may_have_namesakes(h) ? Claim::needed : Claim::none)) {
        if (end > 0 && events_.size() > end) events_.cut(end);
        return true;
    }
    if (errno == EWOULDBLOCK && end == 0 && !h.aside.load()) {
        place_.step_aside();
        place_.make_directories();
        return open();
    }
    complain(Trouble::open, "drain", "cannot write %s:", path.c_str());
    return false;
}

void EventFiles::cut(uint64_t end) {
    if (events_.is_open()) events_.cut(end);
}

bool EventFiles::find_end(RingProgress& now) {
    const std::optional<EndOfStream> found = find_end_of_stream(place_.path_of(events_file));
    if (!found) return false;
    now.form = found->form;
    now.stream_end = found->at.stream;
    now.file_end = found->at.file;
    if (events_.size() > now.file_end) events_.cut(now.file_end);
    return true;
}

Written EventFiles::write(const EventPieces& events, const RingProgress& now, uint64_t room) {
    if (!open()) return {};
    if (now.form == StreamForm::packed)
        return packer_.write(events_, events, {now.stream_end, now.file_end}, room);
    if (events.bytes() <= room) {
        const size_t written = events_.write(events, now.file_end);
        return {written, written};
    }
    const std::vector<uint8_t> all = whole(events);
    const size_t fit = survey(all.data(), std::min<uint64_t>(all.size(), room)).bytes;
    const size_t written = fit > 0 ? events_.write({all.data(), fit}, now.file_end) : 0;
    return {written, written, true};
}

// Once blocks are missing in it, the file would be wrong about all that follows.
void EventFiles::add_checksum(const EventPieces& events, const RingProgress& after) {
    if (lacks_checksums_ || after.form == StreamForm::packed) return;
    const uint64_t end = after.file_end, begin = end - events.bytes();
    std::string path = place_.path_of(checksum_file);
    bool open = checksums_.is_open() || checksums_.open(path, begin);
    if (open && checksums_.end() == begin && checksums_.append(events, end)) return;
    lacks_checksums_ = true;
    checksums_.close();
}

void EventFiles::rest() {
    events_.close();
    checksums_.close();
}

void EventFiles::start_over() {
    lacks_checksums_ = false;
    rest();
}

}  // namespace ovni::writer
