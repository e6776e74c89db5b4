// Efficiencies of a run and of its regions, as the POP centre of excellence defines them
// (https://co-design.pop-coe.eu/metrics/): u is the time of a process outside of MPI, T the time of the
// slowest one, T' that in an ideal network (ideal_replay.hpp).
//
//     parallel efficiency        mean u / T       = load balance * communication efficiency
//     load balance               mean u / max u
//     communication efficiency   max u / T        = serialisation efficiency * transfer efficiency
//     serialisation efficiency   max u / T'
//     transfer efficiency        T' / T
#pragma once

#include <cstdint>
#include <future>
#include <map>
#include <string>
#include <vector>

#include "base/ranks.hpp"
#include "emu/plan/system.hpp"
#include "messages/match/message.hpp"
#include "messages/scan/found_ends.hpp"
#include "messages/waits/find_waits.hpp"

namespace ovni {

// A ratio below it is low.
inline constexpr double acceptable_efficiency = 0.8;

struct Efficiency {
    int64_t region = 0;  // 0: the whole run, from MPI_Init to MPI_Finalize
    uint32_t processes = 0;
    int64_t runtime = 0, ideal_runtime = 0;  // T, T'
    int64_t longest_useful = 0;              // u
    uint32_t busiest = 0;                    // the process that has it: the first of several
    uint64_t useful_sum = 0;                 // u of all processes
    // u by process; of the whole run alone.
    std::map<uint32_t, int64_t> useful_of = {};

    double parallel() const { return ratio(mean_useful(), runtime); }
    double load_balance() const { return ratio(mean_useful(), longest_useful); }
    double communication() const { return ratio(static_cast<double>(longest_useful), runtime); }
    double serialisation() const { return ratio(static_cast<double>(longest_useful), ideal_runtime); }
    double transfer() const { return ratio(static_cast<double>(ideal_runtime), runtime); }
    double mean_useful() const {
        return processes == 0 ? 0 : static_cast<double>(useful_sum) / static_cast<double>(processes);
    }

 private:
    static double ratio(double part, int64_t whole) {
        return whole <= 0 ? 1 : part / static_cast<double>(whole);
    }
};

struct Efficiencies {
    std::vector<Efficiency> all;  // the run, then its regions by value
    uint64_t out_of_order = 0;    // receives before their sends, by clocks that differ
};

struct EfficiencySources {
    const SentMessages& sent;
    std::span<const CollectiveEnd> collectives;  // as find_waits() has left them
    const std::vector<RegionChange>& regions;
};
// Collective; the result is on rank 0. The points of all processes pass through rank 0, some at a time. A
// single process with several threads finds the result while it goes on. `sources` are read before this
// returns.
std::future<Efficiencies> find_efficiencies(const Ranks& ranks, const System& system,
                                            const StreamOwners& owners, const EfficiencySources& sources,
                                            std::vector<ProcessTimes> times, size_t threads);

// A table of the run for people, and a sentence for each number below 0.8.
std::vector<std::string> efficiency_lines(const Efficiency& of, const System& system);

}  // namespace ovni
