#include "ring/own_threads.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <optional>

#include "core/loaded_library.hpp"
#include "ring/process_life.hpp"

namespace ovni::writer {
namespace {

constinit std::atomic<uint64_t> own_threads{0};

LifeLine own_line() noexcept {
    return read_life_line("/proc/self/stat");
}

// The number of threads in the C library (glibc), which shows it to debuggers.
std::optional<std::atomic_ref<uint32_t>> threads_before_exit() noexcept {
    auto* number = static_cast<uint32_t*>(LoadedLibrary::first_symbol("__nptl_nthreads"));
    if (number == nullptr) return std::nullopt;
    return std::atomic_ref(*number);
}

// False, and nothing is changed, if there are not more than `least`.
bool change(std::atomic_ref<uint32_t> number, uint32_t least, int32_t by) noexcept {
    uint32_t seen = number.load();
    while (seen > least)
        if (number.compare_exchange_weak(seen, seen + static_cast<uint32_t>(by))) return true;
    return false;
}

}  // namespace

OwnThread::OwnThread() noexcept : counted_before_(false) {
    own_threads.fetch_add(1);
    if (const auto number = threads_before_exit()) counted_before_ = change(*number, 1, -1);
}

// The C library subtracts it again. If there is none, exit() has been called.
OwnThread::~OwnThread() {
    if (counted_before_) change(*threads_before_exit(), 0, 1);
    own_threads.fetch_sub(1);
}

// A main thread that has ended stays, as a zombie, and counts.
bool program_threads_have_ended() noexcept {
    const LifeLine process = own_line();
    return process.found == LifeLine::Found::yes && process.is_zombie &&
           process.threads - 1 <= own_threads.load();
}

void end_as_main_thread() noexcept {
    for (;;) ::syscall(SYS_exit, own_line().status);
}

void forget_own_threads() noexcept {
    own_threads.store(0);
}

}  // namespace ovni::writer
