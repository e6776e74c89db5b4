#include "messages/hybrid/hybrid_efficiency.hpp"

#include <algorithm>
#include <map>

namespace ovni {

namespace {

double as_double(int64_t time) {
    return static_cast<double>(time);
}

HybridEfficiency efficiency_of(std::span<const ProcessUse> uses, int64_t runtime) {
    HybridEfficiency of;
    of.region = uses.front().region;
    of.runtime = runtime;
    double largest = 0, sum = 0, threads = 0;
    for (const ProcessUse& use : uses) {
        if (use.elapsed <= 0 || use.threads == 0) continue;
        ++of.processes;
        of.threads += use.threads;
        const double mean_threads = as_double(life_of(use.times)) / as_double(use.elapsed);
        const double lacking = mean_threads * as_double(std::max<int64_t>(runtime - use.elapsed, 0));
        const double outside =
            as_double(life_of(use.times) - time_of(use.times, Use::mpi) - time_of(use.times, Use::mpi_wait));
        of.absent += lacking;
        of.thread_time += as_double(life_of(use.times)) + lacking;
        sum += outside;
        threads += mean_threads;
        if (mean_threads > 0) largest = std::max(largest, outside / mean_threads);
        add_times(of.times, use.times);
    }
    if (largest > 0) of.mpi_balance = sum / threads / largest;
    return of;
}

}  // namespace

double HybridEfficiency::factor(Use use) const {
    double whole = thread_time - in_mpi();
    for (const FactorRow& row : hybrid_factors) {
        const double rest = whole - as_double(time_of(times, row.use));
        if (row.use == use) return share(rest, whole);
        whole = rest;
    }
    return 1;
}

std::vector<HybridEfficiency> hybrid_efficiencies(std::span<const ProcessUse> uses,
                                                  std::span<const Efficiency> runs) {
    if (std::ranges::none_of(uses, [](const ProcessUse& use) { return use.threads > 1; })) return {};
    std::map<int64_t, std::vector<ProcessUse>> by_region;
    for (const ProcessUse& use : uses) by_region[use.region].push_back(use);
    std::vector<HybridEfficiency> all;
    for (const auto& [region, of_region] : by_region) {
        int64_t runtime = std::ranges::max_element(of_region, {}, &ProcessUse::elapsed)->elapsed;
        const auto run = std::ranges::find(runs, region, &Efficiency::region);
        if (run != runs.end()) runtime = std::max(runtime, run->runtime);
        all.push_back(efficiency_of(of_region, runtime));
    }
    return all;
}

}  // namespace ovni
