#include "drain/event_files.hpp"

#include <cerrno>

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
    const uint64_t end = ring_.progress().file_end;
    bool goes_on = h.continues.load(std::memory_order_relaxed);
    Content content = goes_on ? Content::keep : Content::discard;
    if (end > OVNI_FORMAT_STREAM_HEADER) content = Content::existing;
    std::string path = place_.path_of(events_file);
    if (events_.open(path, content, may_have_namesakes(h) ? Claim::needed : Claim::none)) return true;
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

// Once blocks are missing in it, the file would be wrong about all that follows.
void EventFiles::add_checksum(const EventPieces& block, uint64_t begin, uint64_t end) {
    if (lacks_checksums_) return;
    std::string path = place_.path_of(checksum_file);
    bool open = checksums_.is_open() || checksums_.open(path, begin);
    if (open && checksums_.end() == begin && checksums_.append(block, end)) return;
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
