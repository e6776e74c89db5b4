// stream.json of one stream, with the checks that concern this stream alone; emu/plan/system checks streams
// against each other. Members that a trace need not have are optional.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/interned.hpp"
#include "base/rare.hpp"
#include "trace/call_site.hpp"
#include "trace/clock_file.hpp"

namespace ovni {

struct CpuId {
    int index = 0;  // position in the loom, 0..N-1
    int phyid = 0;  // number of the operating system
    bool operator==(const CpuId&) const = default;
};

enum class MarkKind { single, stack, punctual };  // punctual: single, with "punctual": true next to it

struct MarkType {
    int type = 0;  // 0..99
    std::string title;
    MarkKind kind = MarkKind::single;
    std::vector<std::pair<int64_t, std::string>> labels;  // in file order
    bool operator==(const MarkType&) const = default;
};

// Metadata that most streams of a loom have alike.
struct CommonMetadata {
    std::string part;  // "thread", else the stream is ignored
    std::string loom;
    std::optional<std::string> host;             // ovni.host, if the library knows it
    std::vector<CpuId> cpus;                     // empty if absent
    std::map<std::string, std::string> require;  // model name -> version
    bool has_require = false;                    // the object ovni.require is there
    Interned<std::vector<MarkType>> marks;       // in file order
    std::optional<std::string> lib_version, lib_commit;
    std::optional<std::string> run;     // ovni.run: name of the run that wrote the stream
    std::string command;                // ovni.command as a shell takes it; empty: unknown
    std::optional<int64_t> began;       // ovni.began: when the run began on its node, in s since 1970
    std::optional<bool> can_breakdown;  // nosv.can_breakdown
    std::vector<std::pair<int, std::string>> hardware_counters;  // nosv.hwc: index and name, in file order
    std::vector<std::string> counters;                           // ovni.counters: names by place
    bool operator==(const CommonMetadata&) const = default;
};

struct CallSiteTable {
    std::map<uint32_t, CodeModule> modules;  // mpi.modules, by number
    std::map<uint32_t, CallSite> sites;      // mpi.sites, by number; their modules are there
    size_t callers = 1;                      // mpi.callers: how many of them a site was to have
    bool operator==(const CallSiteTable&) const = default;
};

// Metadata that most streams of a process have alike.
struct ProcessMetadata {
    int pid = 0;
    std::optional<int> app_id, rank, nranks;
    // ovni.clock: the clock of this node as its rank measured it against that of the host `reference`.
    struct Clock {
        std::string reference;
        std::vector<ClockMeasurement> points;  // by local time; none: it was not measured
        bool operator==(const Clock&) const = default;
    };
    Interned<Clock> clock;
    // ovni.time_offset: ns by which the time namespace set the clock of the events ahead of the machine's.
    int64_t time_offset = 0;
    Interned<CallSiteTable> calls;
    // mpi.use: of the process, from MPI_Init to MPI_Finalize, in the stream of the thread that called these.
    struct CpuUse {
        int64_t wall = 0, cpu = 0;  // ns
        int64_t switches = 0;       // how often a thread had to leave its CPU to others
        // The time that all programs used on the CPUs that the process might use, "0-3,8"; -1: unknown.
        int64_t busy = -1;
        std::string cpus = {};
        int64_t children = 0;  // CPU time of programs that it started and that have ended, ns
        bool operator==(const CpuUse&) const = default;
    };
    std::optional<CpuUse> cpu_use;
    bool operator==(const ProcessMetadata&) const = default;
};

// Every rank of an emulation keeps this of every stream of the trace, so what many streams have in common is
// kept once.
struct StreamMetadata {
    Interned<CommonMetadata> common;
    Interned<ProcessMetadata> process;
    int tid = 0;
    Interned<std::string> name;       // ovni.name: that of the thread; empty: it has none
    bool leaves_threads_out = false;  // ovni.cut has "threads": ovnicut has left out other threads
    bool begins_inside = false;       // ovni.cut has "begin": ovnicut has left out what came before
    bool samples_cpus = false;        // ovni.cpu is "sampled": other CPUs or threads may be involved
    bool finished = false;            // ovni.finished is 1
    // ovni.goes_on is 1: the thread was not at its end when MPI_Finalize or the exit of the process ended its
    // stream. States that it is in then are open at the end.
    bool goes_on = false;
    // ovni.end: how the stream was closed if the program did not close it: "signal", "exit", "recovered",
    // "loss", "running" (not yet: ovnirecover --write-out); "damage" if it is not read to its end.
    struct End {
        Interned<std::string> by;
        int64_t code = 0;
        std::optional<int64_t> clock;  // what is open lasts until then, or to the last event if that is later
        bool operator==(const End&) const = default;
    };
    Rare<End> end;
    bool operator==(const StreamMetadata&) const = default;
};

// Hashes cover what distinguishes most values; the rest is compared.
size_t hash_value(const MarkType& mark);
size_t hash_value(const CommonMetadata& common);
size_t hash_value(const CallSiteTable& calls);
size_t hash_value(const ProcessMetadata::Clock& clock);
size_t hash_value(const ProcessMetadata& process);

// Parses and checks `text`, the content of the file `path`. Throws Error for JSON that is damaged, `version`
// missing or not 3, and members of the wrong type or out of range. Members of parts other than "thread" are
// ignored.
StreamMetadata parse_metadata(std::string_view text, const std::string& path);

// The host that recorded the stream: ovni.host, else the name of its loom; up to the first dot.
std::string host_of(const StreamMetadata& metadata);

// True if the stream goes on while it is read: ovni.end.by is "running".
bool is_of_running_program(std::string_view text);

// Checks only that the text is JSON of a version that can be read. The result has only the names of the
// counters, and those only if ovni.counters is a list.
StreamMetadata parse_metadata_version(std::string_view text, const std::string& path);

}  // namespace ovni
