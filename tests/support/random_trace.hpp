// Random traces that an emulator accepts: looms whose threads start, pause, move, execute tasks, set marks
// and go through the states of any event models, with as many equal clocks as asked for. A whole trace is
// played along one time line while it is made, so that every event is legal whatever order is given to those
// of equal clocks. The same seed gives the same trace.
#pragma once

#include <cstdint>
#include <string>

#include "tests/support/trace_builder.hpp"

namespace ovni::test {

// mixed: every second loom has no ranks, so looms are ordered by name.
enum class Ranks { all, none, mixed };
// nosv.can_breakdown: true in all threads; false in some of them; missing, which option -b rejects.
enum class CanBreakdown { all, some, missing };

inline constexpr const char* every_model = "6DKMOPTV";

struct RandomTrace {
    uint32_t seed = 1;
    int looms = 4;
    int processes = 2;     // of a loom
    int threads = 2;       // of a process
    int events = 400;      // of a thread, and some to close what is open
    bool punctual = true;  // with a mark type of punctual states, which is a single one for the reference

    std::string models = "OM";  // their characters, up to every_model
    int hosts = 0;              // looms are dealt to so many; 0: each loom has a host of its own
    int cpus = 2;               // physical ones of a loom
    Ranks ranks = Ranks::all;
    int apps = 1;                // processes are dealt to so many application ids
    bool equal_tids = false;     // processes of a loom use the same tids
    bool clock_offsets = false;  // hosts whose clocks differ, and the table that corrects them

    // How often, in percent, an event has the clock of the one before it, of the same stream or of another.
    // Both 0: all clocks of the trace are distinct, corrected ones where there are offsets.
    int ties_within = 33;
    int ties_between = 33;

    int marks = 4;     // types, without the punctual one; 1 to 4 and 6 to 9 are not among them
    int counters = 3;  // hardware counters, with nosv
    CanBreakdown can_breakdown = CanBreakdown::all;
    bool crowded = false;     // several threads may run on one physical CPU, which the reference rejects
    bool own_cpus = false;    // no process uses a CPU of another; needs `crowded`, and a CPU for each process
    bool leave_open = false;  // states of some threads stay open at their end, which the linter rejects
};

void build(TraceBuilder& trace, const RandomTrace& what);

}  // namespace ovni::test
