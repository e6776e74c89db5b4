// Checks and reports after the last event. Local to one emulator, plain data, so that ranks can put theirs
// together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emu/emulator.hpp"

namespace ovni {

// Something wrong with one thread at the end: in order of rows it is printed, and the exit status is 1.
struct Fault {
    uint32_t thread_row = 0;
    std::string what;
};

// Threads that have not ended, in streams that their program has.
std::vector<const Thread*> living_at_end(const Trace& trace, const Machine& machine);

// Every thread must have ended. In linter mode no thread may have an open state of a model that the linter
// knows, and every stream must have been ended by its program.
std::vector<Fault> faults_at_end(const Trace& trace, Emulator& emulator, Strictness strictness);

// A physical CPU that had more than one running thread.
struct CrowdedCpu {
    uint32_t cpu_row = 0;
    uint32_t unused = 0;
    uint64_t times = 0;
    int64_t ns = 0;
};
// `end`: time of the last event of the trace.
std::vector<CrowdedCpu> crowded_cpus(Emulator& emulator, int64_t end);

// Prints both and what else is worth a warning, rows ascending.
struct EndChecks {
    std::vector<Fault> faults;
    std::vector<CrowdedCpu> crowded;
    Oddities oddities;
    LostEvents lost;
};
void print(const EndChecks& checks, const Trace& trace, const System& system);

// `all`: in the order of time. Prints the first Bursts::most of them.
void print(const std::vector<Burst>& all, const System& system);

}  // namespace ovni
