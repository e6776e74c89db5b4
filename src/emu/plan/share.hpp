// The share of a trace that one emulator works on: processes, and the CPUs that these run on.
#pragma once

#include <cstdint>
#include <vector>

#include "emu/plan/system.hpp"

namespace ovni {

struct Share {
    // Indexed as in the system: true if it belongs to the share.
    std::vector<bool> processes, cpus;

    bool plays(uint32_t process) const { return processes[process]; }

    static Share whole(const System& system) {
        return {std::vector<bool>(system.processes().size(), true),
                std::vector<bool>(system.cpus().size(), true)};
    }
    // The share with all of these looms. `looms`: true for each.
    static Share of_looms(const System& system, const std::vector<bool>& looms) {
        Share share;
        for (const ProcessInfo& process : system.processes()) share.processes.push_back(looms[process.loom]);
        for (const CpuInfo& cpu : system.cpus()) share.cpus.push_back(looms[cpu.loom]);
        return share;
    }
};

}  // namespace ovni
