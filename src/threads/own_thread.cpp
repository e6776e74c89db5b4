#include "threads/own_thread.hpp"

#include <pthread.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

namespace ovni::threads {

namespace {

pthread_key_t at_thread_end;
bool has_key = false;

void end(void* thread) {
    thread_ends(*static_cast<OwnThread*>(thread));
    munmap(thread, sizeof(OwnThread));
}

[[gnu::constructor]] void make_key() {
    has_key = pthread_key_create(&at_thread_end, end) == 0;
}

}  // namespace

void OwnThread::follow_fork(uint32_t now) noexcept {
    if (fork_depth == now) return;
    fork_depth = now;
    depth = 0;
    has_required = false;
    memset(defined, 0, sizeof defined);
    memset(described, 0, sizeof described);
}

OwnThread* own_thread() noexcept {
    return has_key ? static_cast<OwnThread*>(pthread_getspecific(at_thread_end)) : nullptr;
}

// The key is one of the first, whose values need no memory from malloc().
OwnThread* own_thread_made() noexcept {
    if (!has_key) return nullptr;
    if (OwnThread* known = own_thread()) return known;
    const int before = errno;
    void* memory =
        mmap(nullptr, sizeof(OwnThread), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    errno = before;
    if (memory == MAP_FAILED) return nullptr;
    // A signal handler may have come between.
    if (OwnThread* known = own_thread()) {
        munmap(memory, sizeof(OwnThread));
        return known;
    }
    pthread_setspecific(at_thread_end, memory);
    return static_cast<OwnThread*>(memory);
}

}  // namespace ovni::threads
