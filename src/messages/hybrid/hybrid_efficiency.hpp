// Efficiencies of processes with several threads: what part of the time of all threads is computation, and
// what takes the rest. The chain is TALP's, in the order of its documentation
// (bsc-pm/dlb: doc/user_guide/source/talp_metrics.rst), with three more classes of lost time.
//
// A process has, on average over its time in a region, n threads. T is the sum of n times the runtime of the
// slowest process. U is the useful time of all threads, C their time in MPI and what their processes lack of
// the runtime, W the idle time of threads whose process waits in MPI for a late rank. M, S, L, D, K and Z are
// the other uses, in the order of the rows:
//
//     hybrid parallel efficiency     U / T
//     MPI parallel efficiency        (T - C - W) / T   = MPI load balance * MPI communication efficiency
//     thread efficiency              U / (T - C - W)   = the product of those below
//     efficiency during MPI          M: other threads are idle while one is in MPI
//     serialisation efficiency       S: threads are idle outside of parallel regions
//     load balance of threads        L
//     scheduling efficiency          D
//     lock efficiency                K
//     supply with work               Z: threads sleep in conditions, semaphores and joins
//
// Each of the last six is X' / X, where X is the time that the rows above leave, and X' = X - M, X' = X - S,
// and so on. MPI load balance is the mean of (n times the runtime - C - W) / n over all threads, divided by
// the largest one of a process.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "messages/costs/efficiency.hpp"
#include "messages/hybrid/thread_use.hpp"

namespace ovni {

struct HybridEfficiency {
    int64_t region = 0;  // 0: the whole run
    uint32_t processes = 0, threads = 0;
    int64_t runtime = 0;     // ns, of the slowest process
    double thread_time = 0;  // T, ns
    double absent = 0;       // the part of C in which processes are not in the region, ns
    double mpi_balance = 1;  // MPI load balance
    UseTimes times = {};     // of all threads

    double parallel() const { return share(useful(), thread_time); }
    double mpi_parallel() const { return share(thread_time - in_mpi(), thread_time); }
    double mpi_communication() const { return mpi_parallel() / mpi_balance; }
    double threads_parallel() const { return share(useful(), thread_time - in_mpi()); }
    // The factor of a use, from during_mpi on.
    double factor(Use use) const;
    // The share of all thread time.
    double share_of(Use use) const {
        return thread_time <= 0 ? 0 : static_cast<double>(time_of(times, use)) / thread_time;
    }

 private:
    double useful() const { return static_cast<double>(time_of(times, Use::useful)); }
    double in_mpi() const {
        return absent + static_cast<double>(time_of(times, Use::mpi) + time_of(times, Use::mpi_wait));
    }
    static double share(double part, double whole) { return whole <= 0 ? 1 : part / whole; }
};

// The uses that have a factor, in the order of the chain, and the names of their rows.
struct FactorRow {
    Use use;
    std::string_view key, name;  // in reports, for people
};
inline constexpr FactorRow hybrid_factors[] = {
    {Use::during_mpi, "efficiency_during_mpi", "efficiency during MPI"},
    {Use::serial, "serialisation_efficiency", "serialisation efficiency"},
    {Use::imbalance, "load_balance", "load balance"},
    {Use::scheduling, "scheduling_efficiency", "scheduling efficiency"},
    {Use::locks, "lock_efficiency", "lock efficiency"},
    {Use::sleep, "supply_with_work", "supply with work"},
};

// One for each region, the run first. `uses`: of all processes. `runs`: those of MPI, where there are some:
// they have the runtimes. Empty if no process has several threads.
std::vector<HybridEfficiency> hybrid_efficiencies(std::span<const ProcessUse> uses,
                                                  std::span<const Efficiency> runs);

}  // namespace ovni
