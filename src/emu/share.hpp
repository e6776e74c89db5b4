// The share of a trace that one emulator works on: processes, and the CPUs that these run on. No thread of
// another process runs on these CPUs.
#pragma once

#include <vector>

#include "emu/system.hpp"

namespace ovni {

struct Share {
    std::vector<bool> processes, cpus;  // of the system, true for those that belong to it

    static Share whole(const System& system) {
        return {std::vector<bool>(system.processes().size(), true),
                std::vector<bool>(system.cpus().size(), true)};
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
