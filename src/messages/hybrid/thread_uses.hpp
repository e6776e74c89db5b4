// The uses of the threads of all processes, from the records of their rows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "emu/plan/system.hpp"
#include "emu/records/record.hpp"
#include "messages/hybrid/process_uses.hpp"
#include "messages/hybrid/region_borders.hpp"

namespace ovni {

class ThreadUses {
 public:
    // A process without borders runs from its first record to the end of the trace. `origin`: the clock of
    // time 0 of the records. `system` outlives this.
    ThreadUses(const System& system, std::vector<RegionBorder> borders, int64_t origin);

    // Records of some processes, in order.
    void take(std::span<const Record> records);
    void finish(int64_t duration);

    // After finish(), of processes that had records.
    std::vector<ProcessUse> processes() const;
    std::vector<ConstructUse> constructs() const;
    std::vector<SleepingThread> sleepers() const;

 private:
    struct Process {
        std::optional<ProcessUses> uses;  // made at the first record
        std::span<const RegionBorder> borders;
        size_t next_border = 0;
    };
    void cross_borders(Process& process, int64_t time);

    const System& system_;
    const std::vector<RegionBorder> borders_;  // by process
    std::vector<Process> processes_;
};

}  // namespace ovni
