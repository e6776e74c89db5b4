// The life cycle of a stream: who owns it, where its thread is by its OH events, how it is opened and closed.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "ovni.h"
#include "runtime/diagnostics.hpp"
#include "runtime/event.hpp"
#include "runtime/posix_io.hpp"
#include "runtime/stream.hpp"

namespace ovni {
namespace {

constexpr const char* events_file = "/stream" OVNI_STREAM_EXT;
constexpr const char* metadata_file = "/stream.json";
constexpr const char* gaps_file = "/stream.gaps.json";

}  // namespace

void Stream::follow_life_cycle(const uint8_t* event) {
    switch (event[OVNI_FORMAT_CODE_AT + 2]) {
        case 'x':
            if (our_life_ && !holds_events()) drop_our_life();
            if (our_life_) end_our_life(ovni_format_clock(event));
            ours_ = false;
            life_ = Life::running;
            break;
        case 'r':
            life_ = Life::running;
            break;
        case 'p':
        case 'c':
        case 'w':
            life_ = Life::paused;
            break;
        case 'e':
            // A program that ends a life which we began has said what there is to say.
            our_life_ = false;
            life_ = Life::dead;
            break;
        default:
            break;
    }
}

void Stream::drop_our_life() {
    our_life_ = our_begin_due_ = false;
    written_ = 0;
    set_head(0);
    gaps_.clamp(file_.end());
}

void Stream::place_our_begin(const Facts& facts) {
    our_begin_due_ = false;
    int index = facts.index_of(opening_phyid_);
    if (index < 0 && phyid_ == opening_phyid_) phyid_ = -1;
    Event begin = make_event("OHx", opening_clock_, index, -1, uint64_t{0});
    std::copy_n(begin.bytes, begin.size, window_.data);
}

bool Stream::begins_after_our_life(const void* event) const {
    return our_life_ && holds_events() && static_cast<const uint8_t*>(event)[OVNI_FORMAT_CODE_AT + 2] == 'x';
}

uint64_t Stream::newest_clock() const {
    uint64_t from = our_begin_due_ ? our_begin_bytes : written_;
    EventSpan kept = survey(window_.data + from, head() - from);
    return kept.events > 0 ? std::max(kept.last_clock, last_clock_) : last_clock_;
}

// The program took the clock of its beginning before ours of the last event: the beginning gives way.
const void* Stream::raise(const void* event, size_t size, Event& raised) const {
    uint64_t newest = newest_clock();
    if (ovni_format_clock(static_cast<const uint8_t*>(event)) >= newest) return event;
    std::memcpy(raised.bytes, event, std::min(size, sizeof raised.bytes));
    std::memcpy(raised.bytes + OVNI_FORMAT_CLOCK_AT, &newest, sizeof newest);
    return raised.bytes;
}

void Stream::end_our_life(uint64_t clock) {
    our_life_ = false;
    Event end = make_event("OHe", clock);
    append(end.bytes, end.size);
}

void Stream::move_to_cpu(int phyid) {
    if (phyid == phyid_) return;
    SlowPath slow;
    Lock lock(mutex_);
    if (is_closed() || !our_life_) return;
    Facts facts = process().facts();
    int index = facts.cpus_are_told ? facts.index_of(phyid) : -1;
    if (index < 0) return;
    phyid_ = phyid;
    Event moved = make_event("OAs", clock_now(), index);
    append(moved.bytes, moved.size);
}

void Stream::open_for_program(pid_t tid) {
    SlowPath slow;
    Lock lock(mutex_);
    if (our_life_ && !holds_events()) {
        drop_our_life();
        life_ = Life::unborn;
    }
    if (is_closed()) {
        metadata_.reopen();
        start_buffer_over();
        set_limit(capacity_);
        closed_.store(false, std::memory_order_release);
    }
    ours_ = false;
    tid_ = tid;
    metadata_.set("ovni.tid", tid);
    if (!file_.is_open()) make_file(process().facts());
}

// Also leaves a stream.json without "finished", so that a crash is seen as one. A stream that was on disk
// before goes on where it is.
void Stream::make_file(const Facts& facts) {
    bool fresh = file_.end() == OVNI_FORMAT_STREAM_HEADER;
    if (place_.empty()) {
        roots_ = facts.roots;
        place_ = process_directory("", facts.loom, facts.pid) + "/thread." + std::to_string(tid_);
        metadata_.set_process(facts);
    }
    for (const std::string& root : {roots_.trace, roots_.temporary}) {
        if (root.empty()) continue;
        if (!make_directory(root + place_))
            complain(Trouble::directory, "make_file", "cannot make directory %s%s:", root.c_str(),
                     place_.c_str());
        if (fresh) ::unlink((root + place_ + gaps_file).c_str());
    }
    std::string path = directory() + events_file;
    if (!file_.open(path, fresh ? StreamFile::Content::discard : StreamFile::Content::keep))
        complain(Trouble::open, "make_file", "cannot write %s:", path.c_str());
    write_side_files(facts);
}

void Stream::write_side_files(const Facts& facts) {
    if (born_ours_) metadata_.set_process(facts);
    metadata_.set_run(facts.run);
    metadata_.set_lost(lost_);
    std::string path = directory() + metadata_file;
    if (!replace_file(path, metadata_.text()))
        complain(Trouble::metadata, "write_side_files", "cannot write %s:", path.c_str());
    path = directory() + gaps_file;
    if (gaps_.changed() && !replace_file(path, gaps_.text()))
        complain(Trouble::metadata, "write_side_files", "cannot write %s:", path.c_str());
}

void Stream::write_metadata() {
    SlowPath slow;
    Lock lock(mutex_);
    if (!is_closed() && !place_.empty()) write_side_files(process().facts());
}

void Stream::close(const StreamEnd* end) {
    SlowPath slow;
    Lock lock(mutex_);
    if (!is_closed()) close_locked(end);
}

void Stream::close_ours(const StreamEnd* end) {
    SlowPath slow;
    Lock lock(mutex_);
    if (ours_ && !is_closed()) close_locked(end);
}

void Stream::close_locked(const StreamEnd* end) {
    closed_.store(true, std::memory_order_release);
    set_limit(0);
    flush_pair_due_ = false;
    if (our_life_ && !holds_events()) return;
    write_out();
    if (our_life_) {
        Event last = make_event("OHe", std::max(clock_now(), last_clock_));
        our_life_ = false;
        write_block(last.bytes, last.size);
    }
    gaps_.clamp(file_.end());
    Facts facts = process().facts();
    metadata_.finish(facts, end, last_clock_);
    write_side_files(facts);
    file_.close();
    if (roots_.temporary.empty()) return;
    move_stream(directory(), roots_.trace + place_);
    roots_.temporary.clear();
}

}  // namespace ovni
