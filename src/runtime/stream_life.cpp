// The life cycle of a stream: who owns it, where its thread is by its OH events, how it is opened and closed.
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "ovni.h"
#include "runtime/diagnostics.hpp"
#include "runtime/event.hpp"
#include "runtime/stream.hpp"

namespace ovni {

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
    Event begin = make_event("OHx", opening_clock_, facts.index_of(opening_phyid_), -1, uint64_t{0});
    std::copy_n(begin.bytes, begin.size, window_.data);
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
    int index = process().facts().index_of(phyid);
    if (index < 0) return;
    bool known = phyid_ >= 0 || opening_phyid_ < 0;
    phyid_ = phyid;
    if (!known && phyid == opening_phyid_) return;
    append_flush_pair();
    Event moved = make_event("OAs", clock_now(), index);
    append(moved.bytes, moved.size);
}

void Stream::open_for_program(pid_t tid) {
    SlowPath slow;
    Lock lock(mutex_);
    bool was_closed = is_closed();
    if (was_closed) {
        metadata_.reopen();
        start_buffer_over();
        life_ = Life::dead;
    } else if (our_life_ && !holds_events()) {
        drop_our_life();
        life_ = Life::unborn;
    }
    ours_ = false;
    tid_ = tid;
    metadata_.set("ovni.tid", tid);
    Facts facts = process().facts();
    bool has_file = file_.end() > OVNI_FORMAT_STREAM_HEADER;
    if (!file_.is_open())
        make_file(facts, has_file ? StreamFile::Content::keep : StreamFile::Content::discard);
    set_limit(capacity_);
    closed_.store(false, std::memory_order_release);
}

std::string Stream::directory(const std::string& root) const {
    return thread_directory(root, loom_, pid_, tid_);
}

// Also leaves a stream.json without "finished", so that a crash is seen as one.
bool Stream::make_file(const Facts& facts, StreamFile::Content content) {
    if (content == StreamFile::Content::discard) {
        loom_ = facts.loom;
        pid_ = facts.pid;
        roots_ = facts.roots;
    }
    for (const std::string& root : {roots_.trace, roots_.temporary}) {
        if (!root.empty() && !make_directory(directory(root)))
            complain(Trouble::directory, "make_file", "cannot make directory %s:", directory(root).c_str());
    }
    std::string path = directory(roots_.writing()) + "/stream" OVNI_STREAM_EXT;
    bool ok = file_.open(path, content);
    if (!ok) complain(Trouble::open, "make_file", "cannot write %s:", path.c_str());
    add_process_facts(facts);
    write_side_files(facts);
    return ok;
}

void Stream::add_process_facts(const Facts& facts) {
    if (born_ours_ || !metadata_.find("ovni.finished")) metadata_.set_process(facts);
    metadata_.set_run(facts.run);
    metadata_.set_lost(lost_);
}

void Stream::write_side_files(const Facts&) {
    std::string base = directory(roots_.writing()) + "/stream";
    if (!replace_file(base + ".json", metadata_.text()))
        complain(Trouble::metadata, "write_metadata", "cannot write %s.json:", base.c_str());
    if (gaps_.changed() && !replace_file(base + ".gaps.json", gaps_.text()))
        complain(Trouble::metadata, "write_metadata", "cannot write %s.gaps.json:", base.c_str());
}

void Stream::write_metadata() {
    SlowPath slow;
    Lock lock(mutex_);
    if (is_closed() || loom_.empty()) return;
    Facts facts = process().facts();
    add_process_facts(facts);
    write_side_files(facts);
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
    add_process_facts(facts);
    if (facts.rank >= 0 && !metadata_.has_rank()) metadata_.set_rank(facts.rank, facts.nranks);
    if (!metadata_.has_cpus())
        for (Cpu cpu : facts.identity_cpus) metadata_.add_cpu(cpu);
    metadata_.finish(end, last_clock_);
    write_side_files(facts);
    file_.close();
    if (!roots_.temporary.empty()) move_stream(directory(roots_.temporary), directory(roots_.trace));
}

}  // namespace ovni
