// The uses of all threads of one process, followed event by event: what each thread is doing decides, and for
// an idle thread also what its process does meanwhile.
//
// A parallel region lasts from its fork, or the first thread that begins its part, to the last one that ends.
// Its idle time is dealt out when it ends: the least idle time of its threads is scheduling, what a thread
// has more is imbalance (bsc-pm/dlb: src/talp/perf_metrics.c). Where a region of the program begins or
// ends inside of it, the idle time so far is dealt out there. Two teams that run at once count as one.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "messages/hybrid/state_uses.hpp"
#include "messages/hybrid/thread_use.hpp"

namespace ovni {

class ProcessUses {
 public:
    // The types of a thread row that count here.
    enum class Shown : uint8_t { life, mpi, mpi_wait, openmp, openmp_region, posix_wait };
    static constexpr size_t shown_count = 6;

    explicit ProcessUses(uint32_t threads) : threads_(threads) {}

    // Times do not decrease. `thread`: its place in the process. `value`: 0 for nothing; life: 1 while the
    // thread runs.
    void show(uint32_t thread, Shown what, int64_t value, int64_t time);
    void open(int64_t region, int64_t time);
    void close(int64_t region, int64_t time);
    // The trace ends: all that is open is closed.
    void finish(int64_t time);

    // After finish(). Threads that sleep for more than 95 % of their lives are left out, unless all do.
    std::vector<ProcessUse> regions() const;
    const std::map<int64_t, ConstructUse>& constructs() const { return constructs_; }  // by label
    struct Sleeper {
        uint32_t thread = 0;
        int64_t life = 0, asleep = 0;
    };
    std::vector<Sleeper> sleepers() const;

 private:
    enum Phase : uint8_t { phase_serial, phase_mpi, phase_mpi_wait, phase_region, phases };
    using Clocks = std::array<int64_t, phases>;  // ns that the process was in each phase
    struct Thread {
        std::array<int64_t, shown_count> shown = {};
        Doing doing = Doing::computing;
        bool lives = false, in_region = false, is_worker = false, has_forked = false, was_in_mpi = false;
        bool has_joined = false;  // the present parallel region, or the last one
        int64_t idle_in_region = 0;
        Clocks settled = {};  // up to here, the uses are known
        UseTimes uses = {}, at_region_begin = {};
    };
    struct Open {
        uint32_t depth = 0;
        int64_t since = 0;
        std::vector<UseTimes> before;  // by thread
    };
    struct Sum {
        int64_t elapsed = 0;
        std::vector<UseTimes> uses;  // by thread
    };

    int64_t& shown(Thread& thread, Shown what) { return thread.shown[static_cast<size_t>(what)]; }
    int64_t shown(const Thread& thread, Shown what) const { return thread.shown[static_cast<size_t>(what)]; }
    Phase phase() const;
    void advance(int64_t time);
    void settle(Thread& thread);
    void settle_all();
    Doing doing_of(const Thread& thread) const;
    void follow_openmp(Thread& thread);
    void begin_parallel_region();
    void end_parallel_region();
    void deal_idle_time();

    std::vector<Thread> threads_;
    Clocks clocks_ = {};
    int64_t now_ = 0;
    uint32_t in_mpi_ = 0, in_mpi_wait_ = 0, in_region_ = 0;  // threads
    int64_t region_begin_ = 0, region_label_ = 0;
    std::map<int64_t, Open> open_;
    std::map<int64_t, Sum> sums_;
    std::map<int64_t, ConstructUse> constructs_;
};

}  // namespace ovni
