#include "ring/library_threads.hpp"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "core/loaded_library.hpp"
#include "ring/process_life.hpp"
#include "ring/signal_mask.hpp"

namespace ovni::writer {
namespace {

// The process, and how many there are. A child has none, however it was made.
constinit std::atomic<uint64_t> of_process{0};
constexpr unsigned process_at = 32;

uint64_t count_in(uint64_t value) noexcept {
    return value >> process_at == static_cast<uint64_t>(getpid()) ? static_cast<uint32_t>(value) : 0;
}

void count(int32_t by) noexcept {
    const auto process = static_cast<uint64_t>(getpid()) << process_at;
    uint64_t seen = of_process.load();
    while (!of_process.compare_exchange_weak(seen, process + count_in(seen) + static_cast<uint64_t>(by))) {
    }
}

// The number of threads in the C library (glibc), which shows it to debuggers. It is looked for when this is
// loaded: a thread of ours must not wait for the loader, as its maker may have interrupted it.
constinit uint32_t* threads_before_exit = nullptr;
[[gnu::constructor]] void find_threads_before_exit() {
    threads_before_exit = static_cast<uint32_t*>(LoadedLibrary::first_symbol("__nptl_nthreads"));
}

// False, and nothing is changed, if it is 0.
bool change_threads_before_exit(int32_t by) noexcept {
    if (threads_before_exit == nullptr) return false;
    const std::atomic_ref number(*threads_before_exit);
    uint32_t seen = number.load();
    while (seen > 0)
        if (number.compare_exchange_weak(seen, seen + static_cast<uint32_t>(by))) return true;
    return false;
}

// As the system has it: a status, or a signal.
constinit std::atomic<int> end_of_main_thread{0};

}  // namespace

LibraryThread::LibraryThread() noexcept : was_counted_(change_threads_before_exit(-1)) {
    count(1);
}

// The C library subtracts it again. If the number is 0, exit() has been called.
LibraryThread::~LibraryThread() {
    if (was_counted_) change_threads_before_exit(1);
    count(-1);
}

// A main thread that has ended stays, as a zombie, and counts.
bool program_threads_have_ended() noexcept {
    const LifeLine process = read_life_line("/proc/self/stat");
    const bool have_ended = process.found == LifeLine::Found::yes && process.is_zombie &&
                            process.threads - 1 <= count_in(of_process.load());
    if (have_ended) end_of_main_thread.store(process.end);
    return have_ended;
}

void end_as_main_thread() noexcept {
    const int end = end_of_main_thread.load();
    constexpr int signals = 0x7f;
    if (const int signal = end & signals; signal != 0) {
        struct sigaction usual {};
        usual.sa_handler = SIG_DFL;
        ::sigaction(signal, &usual, nullptr);
        sigset_t open;
        sigemptyset(&open);
        sigaddset(&open, signal);
        change_signals(SIG_UNBLOCK, open);
        ::syscall(SYS_tgkill, getpid(), ::syscall(SYS_gettid), signal);
    }
    for (;;) ::syscall(SYS_exit, end >> 8);
}

}  // namespace ovni::writer
