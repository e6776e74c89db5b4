#include "session/report/other_programs.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "session/report/cpu_use.hpp"
#include "trace/metadata.hpp"

namespace ovni {

namespace {

using CpuUse = ProcessMetadata::CpuUse;

// The ranks of a node that may use the same CPUs.
struct SharedCpus {
    int64_t ours = 0;     // ns of CPU time
    CpuUse longest;       // of the rank that was there for longest
    bool leaves = false;  // a rank had to leave its CPU often
    std::set<int> cpus;

    void add(const CpuUse& use, uint32_t threads) {
        ours += use.cpu + use.children;
        if (use.wall > longest.wall) longest = use;
        leaves = leaves || is_displaced_often(use, threads);
    }
    double capacity() const { return static_cast<double>(cpus.size()) * static_cast<double>(longest.wall); }
    double share_of_others() const {
        constexpr double full = 0.9;
        // Times of CPUs come in steps of some 10 ms.
        constexpr int64_t least_time = 500'000'000;
        const auto busy = static_cast<double>(longest.busy);
        if (longest.wall < least_time || !leaves || capacity() <= 0 || busy < full * capacity()) return 0;
        return std::clamp((busy - static_cast<double>(ours)) / capacity(), 0.0, 1.0);
    }
};
using SharedByCpus = std::map<std::pair<std::string, std::string>, SharedCpus>;  // by host and list

bool overlap(const std::set<int>& some, const std::set<int>& others) {
    return std::ranges::any_of(some, [&](int cpu) { return others.contains(cpu); });
}

// Ranks that may use some of these CPUs, and others, too, make it unknown who used them.
bool is_apart(const SharedByCpus::value_type& of, const SharedByCpus& all) {
    return std::ranges::none_of(all, [&](const auto& other) {
        return other.first != of.first && other.first.first == of.first.first &&
               overlap(other.second.cpus, of.second.cpus);
    });
}

SharedByCpus shared_cpus(const Trace& trace, const System& system) {
    SharedByCpus all;
    std::set<std::string_view> unknown;  // hosts with a process that has not told its use
    for (const ProcessInfo& process : system.processes()) {
        const uint32_t stream = system.threads()[process.first_thread].stream;
        const std::string_view host = host_of(trace.streams()[stream].metadata);
        const CpuUse* use = cpu_use_of(process, trace, system);
        if (!use || use->busy < 0) {
            unknown.insert(host);
            continue;
        }
        SharedCpus& shared = all[{std::string(host), use->cpus}];
        if (shared.cpus.empty()) shared.cpus = cpus_in(use->cpus);
        shared.add(*use, process.thread_count);
    }
    std::erase_if(all, [&](const auto& shared) { return unknown.contains(shared.first.first); });
    return all;
}

bool lacks_ranks(const System& system) {
    std::map<uint32_t, size_t> found;  // by application
    for (const ProcessInfo& process : system.processes()) ++found[static_cast<uint32_t>(process.app_id)];
    return std::ranges::any_of(system.processes(), [&](const ProcessInfo& process) {
        return process.nranks &&
               static_cast<size_t>(*process.nranks) > found[static_cast<uint32_t>(process.app_id)];
    });
}

}  // namespace

std::optional<ShortSources::OtherPrograms> find_other_programs(const Trace& trace, const System& system) {
    constexpr double least = 0.1;
    // Ranks without a trace would be taken for other programs.
    if (lacks_ranks(system)) return std::nullopt;
    const SharedByCpus all = shared_cpus(trace, system);
    ShortSources::OtherPrograms most;
    for (const auto& of : all) {
        const double share = of.second.share_of_others();
        if (share > most.share && is_apart(of, all))
            most = {of.first.first, of.first.second, of.second.cpus.size(), share};
    }
    if (most.share < least) return std::nullopt;
    return most;
}

}  // namespace ovni
