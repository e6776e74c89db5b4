#include "emu/machine.hpp"

namespace ovni {

Machine::Machine(const System& the_system, size_t channel_count, const std::vector<bool>& mine)
    : system(the_system),
      channel_count_(channel_count),
      local_thread_(system.threads().size(), nobody),
      first_cpu_(system.looms().size(), nobody) {
    for (uint32_t row = 0; row < system.threads().size(); ++row) {
        const ThreadInfo& info = system.threads()[row];
        if (!mine[info.loom]) continue;
        local_thread_[row] = static_cast<uint32_t>(threads.size());
        Thread& thread = threads.emplace_back();
        thread.row = row;
        thread.process = info.process;
        thread.loom = info.loom;
        thread.tid = info.tid;
    }
    for (uint32_t row = 0; row < system.cpus().size(); ++row) {
        const CpuInfo& info = system.cpus()[row];
        if (!mine[info.loom]) continue;
        if (first_cpu_[info.loom] == nobody) first_cpu_[info.loom] = static_cast<uint32_t>(cpus.size());
        Cpu& cpu = cpus.emplace_back();
        cpu.row = row;
        cpu.loom = info.loom;
        cpu.index = info.index;
        cpu.is_virtual = info.is_virtual();
    }
    channels_.resize(threads.size() * channel_count_);
}

uint32_t Machine::find_cpu(uint32_t loom, int index) const {
    uint32_t first = first_cpu_[loom];
    for (uint32_t c = first; c < first + system.looms()[loom].cpu_count; ++c)
        if (cpus[c].index == index) return c;
    return nobody;
}

uint32_t Machine::find_thread(const Thread& from, int tid) const {
    auto in_process = [&](uint32_t process) {
        const ProcessInfo& info = system.processes()[process];
        for (uint32_t row = info.first_thread; row < info.first_thread + info.thread_count; ++row)
            if (system.threads()[row].tid == tid) return local_thread_[row];
        return nobody;
    };
    uint32_t found = in_process(from.process);
    const LoomInfo& loom = system.looms()[from.loom];
    for (uint32_t p = loom.first_process; found == nobody && p < loom.first_process + loom.process_count; ++p)
        found = in_process(p);
    return found;
}

}  // namespace ovni
