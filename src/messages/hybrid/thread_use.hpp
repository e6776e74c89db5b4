// The ways in which a thread spends its life, as the hybrid efficiencies count them (hybrid_efficiency.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <vector>

namespace ovni {

enum class Use : uint8_t {
    useful,
    mpi,         // the thread itself is in MPI
    mpi_wait,    // it is idle while another thread of its process waits in MPI for a late rank
    during_mpi,  // it is idle while another thread of its process is in MPI for other reasons
    serial,      // it is idle, and its process runs no parallel region, or one without it
    imbalance,   // it is idle in a parallel region: longer than the thread that idles least
    scheduling,  // the idle time that each thread of a parallel region has, and the time to begin one
    locks,       // it waits for a lock or a critical section that another thread has
    sleep        // it waits for a condition, a semaphore, or the end of a thread
};

// Names in reports: stable.
inline constexpr std::array<std::string_view, 9> use_names = {
    "useful", "mpi", "mpi_wait", "during_mpi", "serial", "imbalance", "scheduling", "locks", "sleep"};
inline constexpr size_t use_count = use_names.size();

using UseTimes = std::array<int64_t, use_count>;  // ns by Use

constexpr int64_t& time_of(UseTimes& times, Use use) {
    return times[static_cast<size_t>(use)];
}
constexpr int64_t time_of(const UseTimes& times, Use use) {
    return times[static_cast<size_t>(use)];
}

inline void add_times(UseTimes& sum, const UseTimes& times) {
    for (size_t use = 0; use < use_count; ++use) sum[use] += times[use];
}
inline int64_t life_of(const UseTimes& times) {
    return std::accumulate(times.begin(), times.end(), int64_t{0});
}

// All threads of a process, in a region or in the whole run. Threads that only sleep are left out. Plain
// data.
struct ProcessUse {
    uint32_t process = 0;  // in System
    uint32_t threads = 0;
    uint32_t has_mpi = 0;  // 1: it is a rank, which is in MPI for the time of the run
    uint32_t padding = 0;
    int64_t region = 0;   // 0: the whole run
    int64_t elapsed = 0;  // ns that the region is open
    UseTimes times = {};
};

// A parallel region of the source, in one process: all its instances. Plain data.
struct ConstructUse {
    uint32_t process = 0;
    uint32_t threads = 0;  // of the largest team
    int64_t label = 0;     // value of the type "OpenMP parallel region"; 0: unknown
    uint64_t visits = 0;
    int64_t elapsed = 0;  // ns from the first thread that begins it to the last one that ends it
    UseTimes times = {};  // of its threads meanwhile

    int64_t lost() const { return life_of(times) - time_of(times, Use::useful); }
};

// A thread that sleeps for nearly all of its life, so that no number counts it. Plain data.
struct SleepingThread {
    uint32_t thread_row = 0;
    uint32_t process = 0;
    int64_t life = 0, asleep = 0;  // ns
};

struct ThreadUseFacts {
    std::vector<ProcessUse> processes;     // by process, then region
    std::vector<ConstructUse> constructs;  // by process, then label
    std::vector<SleepingThread> sleepers;  // by process
};

}  // namespace ovni
