// Local work on several threads of this process.
#pragma once

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace ovni {

// The number of cores that this process may run on: at least 1.
inline size_t usable_cores() {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    if (sched_getaffinity(0, sizeof cores, &cores) == 0)
        return std::max<size_t>(1, static_cast<size_t>(CPU_COUNT(&cores)));
    return std::max(1u, std::thread::hardware_concurrency());
}

// The number of threads for reading short files: starting a thread takes as long as reading a few, and each
// thread needs descriptors.
inline size_t threads_for_files(size_t files) {
    constexpr size_t fewest_each = 64, descriptors_each = 16, most = 16;
    struct rlimit descriptors {};
    const bool is_known = ::getrlimit(RLIMIT_NOFILE, &descriptors) == 0;
    const auto allowed = is_known ? static_cast<size_t>(descriptors.rlim_cur) / descriptors_each : 1;
    return std::max<size_t>(std::min({files / fewest_each, usable_cores(), allowed, most}), 1);
}

// Calls work(i) once for each i below `count`, on `threads` threads, including the calling one. If calls
// throw, the other calls are made nevertheless; then the exception of the lowest i is thrown.
template <class Work>
void for_each_in_parallel(size_t threads, size_t count, Work work) {
    std::atomic<size_t> next = 0;
    std::vector<std::exception_ptr> failures(count);
    auto take_part = [&] {
        for (size_t i = next++; i < count; i = next++) {
            try {
                work(i);
            } catch (...) {
                failures[i] = std::current_exception();
            }
        }
    };
    {
        std::vector<std::jthread> others;
        others.reserve(threads);
        try {
            while (others.size() + 1 < std::min(threads, count)) others.emplace_back(take_part);
        } catch (const std::system_error&) {
            // The system gives no more threads: the existing ones do all the work.
        }
        take_part();
    }
    for (const std::exception_ptr& failure : failures)
        if (failure) std::rethrow_exception(failure);
}

}  // namespace ovni
