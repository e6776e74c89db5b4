#include "runtime/own_ring.hpp"

#include <sys/mman.h>

#include <cstddef>
#include <cstring>
#include <utility>

#include "ring/diagnostics.hpp"
#include "ring/posix_io.hpp"
#include "runtime/process.hpp"

namespace ovni::writer {

static_assert(offsetof(ThreadPage, window) == 0);

OwnRing::OwnRing(Stream* owner, pid_t tid) {
    void* page =
        mmap(nullptr, sizeof(ThreadPage), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
        complain(Trouble::memory, "ovni", "no memory for thread %d:", tid);
        return;
    }
    madvise(page, sizeof(ThreadPage), MADV_WIPEONFORK);
    window_ = &static_cast<ThreadPage*>(page)->window;
    static_cast<ThreadPage*>(page)->owner = owner;
}

void use_clock(ovni_private_window& window, ClockPage& page) {
    detail::keep_guess(window.segment, detail::guess_segment(page));
    window.clock = &page;
}

OwnRing::~OwnRing() {
    if (window_) munmap(window_, sizeof(ThreadPage));
    if (is_mapped()) give_back();
}

bool OwnRing::open(pid_t tid, Host::Size size) {
    lease_ = host().open_ring(tid, process().facts().roots.trace, size);
    if (!is_mapped()) {
        complain(Trouble::memory, "ovni", "no memory for the events of thread %d, they are lost:", tid);
        return false;
    }
    window_->head = 0;
    window_->busy = 0;
    use_clock(*window_, *host().clock());
    window_->published = reinterpret_cast<uint64_t*>(&header().published);
    return true;
}

bool OwnRing::write_note(const StreamNote& note) {
    std::string text = note.text();
    const bool is_there = text == std::exchange(lease_.note, {});
    if (!is_there && !replace_file(host().note_path(lease_), text)) return false;
    lease_.note = std::move(text);
    return true;
}

RingLease OwnRing::grow(pid_t tid) {
    RingLease larger = host().open_ring(tid, process().facts().roots.trace);
    if (!larger.is_mapped()) return {};
    RingHeader& to = larger.header();
    RingHeader& from = header();
    auto copy = [](auto& target, const auto& source) {
        target.store(source.load(std::memory_order_relaxed));
    };
    larger.ring.put(0, ring().data(), head());
    copy(to.opened_at, from.opened_at);
    copy(to.begin_bytes, from.begin_bytes);
    copy(to.has_row, from.has_row);
    copy(to.continues, from.continues);
    copy(to.life_is_ours, from.life_is_ours);
    copy(to.lives, from.lives);
    copy(to.raised, from.raised);
    memcpy(to.name, from.name, sizeof to.name);
    memcpy(to.notes, from.notes, sizeof to.notes);
    copy(to.notes_added, from.notes_added);
    to.published.store(head(), std::memory_order_release);
    // Another thread that looks at this moment finds one of the two.
    RingLease small{Ring(), lease_.number, std::exchange(lease_.note, std::move(larger.note))};
    lease_.number = larger.number;
    lease_.ring = std::move(larger.ring);
    small.ring = std::move(larger.ring);
    use_clock(*window_, *host().clock());
    window_->published = reinterpret_cast<uint64_t*>(&header().published);
    return small;
}

}  // namespace ovni::writer
