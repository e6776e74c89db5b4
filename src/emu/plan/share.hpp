// The share of a trace that one emulator works on: processes, and the CPUs that these run on. If threads of
// other processes run on these CPUs, too, the emulator follows them: it knows their state and CPU, no more.
#pragma once

#include <cstdint>
#include <vector>

#include "emu/plan/system.hpp"

namespace ovni {

struct Share {
    // All of the system, true for those that belong to the share. A CPU belongs to one share, its home.
    std::vector<bool> processes, cpus;
    // Those that share CPUs with processes of other shares, here or there; empty where there are none.
    std::vector<bool> shared_processes, shared_cpus;

    bool plays(uint32_t process) const { return processes[process]; }
    bool shares(uint32_t process) const { return !shared_processes.empty() && shared_processes[process]; }
    bool shares_cpu(uint32_t cpu) const { return !shared_cpus.empty() && shared_cpus[cpu]; }

    static Share whole(const System& system) {
        return {std::vector<bool>(system.processes().size(), true),
                std::vector<bool>(system.cpus().size(), true),
                {},
                {}};
    }
    // All of those looms, true for each.
    static Share of_looms(const System& system, const std::vector<bool>& looms) {
        Share share;
        for (const ProcessInfo& process : system.processes()) share.processes.push_back(looms[process.loom]);
        for (const CpuInfo& cpu : system.cpus()) share.cpus.push_back(looms[cpu.loom]);
        return share;
    }
};

}  // namespace ovni
