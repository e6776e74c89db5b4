#include "runtime/own_ring.hpp"

#include <sys/mman.h>

#include <cstddef>

#include "ring/diagnostics.hpp"
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

OwnRing::~OwnRing() {
    if (window_) munmap(window_, sizeof(ThreadPage));
    if (is_mapped()) give_back();
}

bool OwnRing::open(pid_t tid) {
    lease_ = host().open_ring(tid, process().facts().roots.trace);
    if (!is_mapped()) {
        complain(Trouble::memory, "ovni", "no memory for the events of thread %d, they are lost:", tid);
        return false;
    }
    window_->head = 0;
    window_->busy = 0;
    window_->clock = host().clock();
    window_->published = reinterpret_cast<uint64_t*>(&header().published);
    return true;
}

}  // namespace ovni::writer
