#include "emu/state/machine.hpp"

#include <algorithm>

namespace ovni {

Machine::Machine(const System& the_system, const Plan& plan, const Share& mine)
    : system(the_system),
      lost_events_(system.looms().size()),
      thread_of_stream_(system.stream_count(), nobody),
      local_thread_(system.threads().size(), nobody),
      local_cpu_(system.cpus().size(), nobody) {
    auto is_played = [&](const ThreadInfo& info) { return mine.plays(info.process); };
    threads.reserve(static_cast<size_t>(std::ranges::count_if(system.threads(), is_played)));
    channels_.resize(threads.capacity() * plan.channel_count());
    ThreadChannel* channels = channels_.data();
    for (uint32_t row = 0; row < system.threads().size(); ++row) {
        const ThreadInfo& info = system.threads()[row];
        if (!is_played(info)) continue;
        auto index = static_cast<uint32_t>(threads.size());
        local_thread_[row] = index;
        Thread& thread = threads.emplace_back();
        thread.row = row;
        thread.process = info.process;
        thread.loom = info.loom;
        thread.tid = info.tid;
        thread_of_stream_[info.stream] = index;
        thread.channels = channels;
        channels += plan.channel_count();
        for (uint16_t c = 0; c < plan.channel_count(); ++c)
            if (plan.channels[c].initial.is_set)
                thread.channels[c].set(plan.channels[c].initial, Duplicates::forbidden);
    }
    for (uint32_t row = 0; row < system.cpus().size(); ++row) {
        const CpuInfo& info = system.cpus()[row];
        if (!mine.cpus[row]) continue;
        local_cpu_[row] = static_cast<uint32_t>(cpus.size());
        Cpu& cpu = cpus.emplace_back();
        cpu.row = row;
        cpu.loom = info.loom;
        cpu.index = info.index;
        cpu.is_virtual = info.is_virtual();
    }
}

uint32_t Machine::find_cpu(uint32_t loom, int index) const {
    uint32_t row = system.find_cpu(loom, index);
    return row == System::no_cpu ? nobody : local_cpu_[row];
}

uint32_t Machine::find_thread(const Thread& from, int tid) const {
    const uint32_t row = system.find_thread(from.process, tid);
    return row == System::no_thread ? nobody : local_thread_[row];
}

}  // namespace ovni
