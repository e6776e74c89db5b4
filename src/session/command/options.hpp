// The common parts of the serial and the distributed emulator: their command line, and how they report their
// end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/cli.hpp"
#include "cut/cut_writer.hpp"
#include "cut/focus.hpp"
#include "emu/emulator.hpp"
#include "emu/plan/plan.hpp"
#include "emu/plan/system.hpp"
#include "session/salvage/dry_run.hpp"
#include "session/salvage/salvaged_trace.hpp"
#include "sink/output_formats.hpp"
#include "trace/clock_model.hpp"
#include "trace/merger.hpp"

namespace ovni {

// A damaged trace is refused, or its good part is emulated.
enum class Tolerance { none, keep_going };

// Whether all nodes share the trace directory, or each has one of its own (ovniemu-mpi --local).
enum class Storage { shared, node_local };

// Messages are matched, for which the trace is scanned first, or are left out.
enum class Messages { matched, left_out };

struct ChosenOutput {
    const OutputFormat* format;
    std::filesystem::path path;
};

// The files of the part that is read in place of the trace (session/command/cut_part.hpp).
struct ReadPart {
    std::filesystem::path files;
    CutSummary cut;
};

struct EmulationOptions {
    std::filesystem::path trace;  // if it is node-local, with %h and %r in it
    Storage storage = Storage::shared;
    std::filesystem::path output;  // the trace directory, unless -o says another
    std::optional<std::string> clock_table;
    std::vector<ChosenOutput> outputs;                // besides Paraver's
    std::optional<std::filesystem::path> report;      // a JSON file
    std::optional<std::filesystem::path> statistics;  // a JSON file: what the emulation cost
    EnabledModels enabled = EnabledModels::required;
    Breakdowns breakdowns = Breakdowns::no;
    Strictness strictness = Strictness::tolerant;
    EventOrder order = EventOrder::canonical;  // or exact
    Regions regions = Regions::as_they_are;
    Tolerance tolerance = Tolerance::none;
    RowNames row_names = RowNames::ranks;
    Messages messages = Messages::matched;
    std::optional<int> threads;      // that emulate, in one process; missing: see threads_for()
    std::optional<uint64_t> memory;  // bytes that large tables may take; missing: a fair share
    bool leaves_out_prv = false;     // thread.prv, cpu.prv and their views
    bool leaves_out_states = false;  // of mpi.prv
    int64_t min_duration = 0;        // ns: shorter slices are left out of --perfetto
    bool empty_is_ok = false;        // a directory without any trace gives empty outputs
    Focus focus;
    std::optional<ReadPart> part;  // set once the part that the focus chooses is cut

    // The directory of the files to read.
    const std::filesystem::path& files() const { return part ? part->files : trace; }
    // True if some outputs go into the directory `output`.
    bool writes_to_directory() const {
        return !leaves_out_prv || std::ranges::any_of(outputs, [](const ChosenOutput& chosen) {
            return chosen.format->own_name != nullptr;
        });
    }
};

// The options of ovniemu, and of ovniemu-mpi, which has more. read_options() interprets both, and makes no
// directory.
Cli emulation_cli();
Cli distributed_cli();
EmulationOptions read_options(const Cli& cli);

// The groups of streams among which ties are counted: those of a process, which are all on one rank.
std::vector<uint32_t> tie_groups(const Trace& trace, const System& system);
void print_ties(uint64_t ties, EventOrder order);

DryRunOptions dry_run_of(const EmulationOptions& options, ClockSources clocks);

// The damages as outputs list them; nothing without --keep-going.
std::optional<std::vector<Damage>> damages_of(const EmulationOptions& options,
                                              const std::vector<Damage>& damages);

// Throws Error if outputs cannot be put there.
void make_output_directory(const EmulationOptions& options);

// The name and version of this tool, for outputs.
std::string tool_version();

// Prints how far the clocks of a trace of that length can be wrong.
void print_clocks(const ClockModel& clocks, const Trace& trace, int64_t origin, int64_t duration);

// How the emulation of so many streams ended, for a line and the exit status.
enum class EmulationEnd { complete, interrupted, with_errors };
int status_of(EmulationEnd end);
void print_end(EmulationEnd end, size_t streams);

}  // namespace ovni
