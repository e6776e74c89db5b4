#include "threads/rows.hpp"

#include <pthread.h>
#include <sys/prctl.h>

#include <atomic>
#include <cstring>

#include "ovni/private.h"
#include "threads/makers.hpp"
#include "threads/setting.hpp"

namespace ovni::threads {

namespace {

constexpr uint32_t nowhere = UINT32_MAX;
std::atomic<uint32_t> rows_since{nowhere};  // the fork depth at which the process began to have them

bool may_have_rows() noexcept {
    static const bool may = shown() != Shown::mpi && !ovni_private_is_launcher();
    return may;
}

// The thread counts as the main thread: no other one has been created.
void begin_rows() noexcept {
    const uint32_t now = ovni_private_fork_depth();
    if (rows_since.exchange(now) != now) ovni_private_show_thread(0);
}

void after_fork_in_child() {
    if (rows_since.load(std::memory_order_relaxed) == nowhere) return;
    rows_since.store(ovni_private_fork_depth(), std::memory_order_relaxed);
    ovni_private_show_thread(1);
}

// Comes after that of libovni.so, and before any code of the program.
[[gnu::constructor]] void begin() {
    if (ovni_private_is_launcher()) return;
    if (shown() == Shown::mpi) return ovni_private_introduce_process();
    ovni_private_show_threads();
    pthread_atfork(nullptr, nullptr, after_fork_in_child);
    if (ovni_private_is_program()) begin_rows();
}

}  // namespace

bool is_shown(const void* caller) noexcept {
    if (!may_have_rows() || (shown() != Shown::all && is_of_library(caller))) return false;
    begin_rows();
    return true;
}

Name Name::of_this_thread() noexcept {
    Name name;
    prctl(PR_GET_NAME, name.text);
    return name;
}

void show_this_thread(const Name& creator) noexcept {
    ovni_private_show_thread(0);
    const Name own = Name::of_this_thread();
    if (strncmp(own.text, creator.text, sizeof own.text) != 0)
        ovni_private_name_thread(pthread_self(), own.text);
}

}  // namespace ovni::threads
