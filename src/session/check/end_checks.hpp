// Checks and reports after the last event. Each emulator has its own, as plain data that ranks put together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emu/emulator.hpp"

namespace ovni {

// A fault of one thread at the end. Faults are printed in order of rows, and the exit status is 1.
struct Fault {
    uint32_t thread_row = 0;
    std::string what;
};

// Threads that have not ended although their program has ended their streams.
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

// The results of all checks. print() prints them, with rows ascending.
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
