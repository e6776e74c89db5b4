// How events get into a stream, and from its buffer into the file.
#include "runtime/stream.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "ovni.h"
#include "runtime/diagnostics.hpp"
#include "runtime/event.hpp"

namespace ovni {
namespace {

constexpr uint64_t buffer_bytes = OVNI_MAX_EV_BUF;
// The fast way stores a whole ovni_ev whatever its size.
constexpr uint64_t slack_bytes = OVNI_FORMAT_EVENT_MAX;

}  // namespace

Stream::Stream(pid_t tid, Owner owner)
    : ours_(owner == Owner::ours),
      born_ours_(ours_),
      life_(ours_ ? Life::running : Life::unborn),
      tid_(tid),
      metadata_(tid) {
    map_buffer();
    if (!ours_) return;
    metadata_.set("ovni.require.ovni", OVNI_MODEL_VERSION);
    opening_clock_ = clock_now();
    std::vector<int> cpus = affinity_of_this_thread();
    if (cpus.size() == 1) phyid_ = opening_phyid_ = cpus[0];
    our_life_ = our_begin_due_ = true;
    set_head(our_begin_bytes);
}

Stream::~Stream() {
    if (window_.data) munmap(window_.data, buffer_bytes + slack_bytes);
}

void Stream::map_buffer() {
    if (window_.data) return;
    void* memory = mmap(nullptr, buffer_bytes + slack_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        complain(Trouble::memory, "map_buffer", "no memory for the events of thread %d:", tid_);
        return;
    }
    window_.data = static_cast<uint8_t*>(memory);
    capacity_ = buffer_bytes;
    set_limit(capacity_);
}

bool Stream::holds_events() const {
    return file_.end() > OVNI_FORMAT_STREAM_HEADER || lost_ > 0 ||
           head() > (our_begin_due_ ? our_begin_bytes : 0);
}

void Stream::emit(const void* event, size_t size, const void* data, size_t data_size) {
    SlowPath slow;
    Lock lock(mutex_);
    if (is_closed()) return;
    append_flush_pair();
    Event raised;
    if (is_life_cycle(event)) {
        if (begins_after_our_life(event)) event = raise(event, size, raised);
        follow_life_cycle(static_cast<const uint8_t*>(event));
    }
    append(event, size, data, data_size);
    set_limit(capacity_);
}

void Stream::append(const void* event, size_t size, const void* data, size_t data_size) {
    if (head() + size + data_size > capacity_) start_buffer_over();
    if (size + data_size > capacity_) {
        uint64_t clock = ovni_format_clock(static_cast<const uint8_t*>(event));
        return lose({size, 1, clock, clock}, "memory");
    }
    uint64_t at = head();
    memcpy(window_.data + at, event, size);
    if (data_size > 0) memcpy(window_.data + at + size, data, data_size);
    set_head(at + size + data_size);
}

void Stream::append_flush_pair() {
    if (!flush_pair_due_) return;
    flush_pair_due_ = false;
    for (const Event& event : {make_event("OF[", flush_begin_), make_event("OF]", flush_end_)})
        append(event.bytes, event.size);
    set_limit(capacity_);
}

void Stream::flush() {
    SlowPath slow;
    Lock lock(mutex_);
    if (is_closed()) return;
    append_flush_pair();
    flush_begin_ = clock_now();
    start_buffer_over();
    flush_end_ = clock_now();
    flush_pair_due_ = true;
    set_limit(0);
}

void Stream::start_buffer_over() {
    write_out();
    written_ = 0;
    set_head(0);
}

void Stream::write_published() {
    SlowPath slow;
    Lock lock(mutex_);
    if (is_closed() || !holds_events()) return;
    write_out();
}

void Stream::write_out() {
    uint64_t end = head();
    if (end == written_) return;
    if (!file_.is_open() || our_begin_due_) {
        Facts facts = process().facts();
        if (our_begin_due_) place_our_begin(facts);
        if (!file_.is_open()) make_file(facts);
    }
    write_block(window_.data + written_, end - written_);
    written_ = end;
}

void Stream::write_block(const uint8_t* events, size_t bytes) {
    size_t done = file_.append(events, bytes);
    int error = errno;
    EventSpan all = survey(events, bytes);
    if (all.events > 0) last_clock_ = all.last_clock;
    if (done == bytes) return;
    errno = error;
    complain(Trouble::write, "write_block",
             "cannot write events, they are lost from here on: %s:", directory().c_str());
    lose(survey(events + done, bytes - done), "error");
}

void Stream::lose(EventSpan span, const char* reason) {
    lost_ += span.events;
    gaps_.lose_after(file_.end(), {file_.end(), span.first_clock, span.last_clock, span.events, reason});
}

void Stream::note_gap(Gap gap) {
    SlowPath slow;
    Lock lock(mutex_);
    if (is_closed()) return;
    append_flush_pair();
    gap.offset = position();
    gaps_.add(std::move(gap));
}

}  // namespace ovni
