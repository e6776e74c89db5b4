// What the serial and the distributed emulator share: their command line, and the names and words of their
// ends.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "emu/emulator.hpp"
#include "emu/plan.hpp"

namespace ovni {

struct EmulationOptions {
    std::filesystem::path trace;
    std::filesystem::path output;  // the trace directory, unless -o says another
    std::optional<std::string> clock_table;
    EnabledModels enabled = EnabledModels::required;
    Strictness strictness = Strictness::tolerant;
};

// Nothing where help was printed. Throws UsageError. The output directory is not made here.
std::optional<EmulationOptions> parse_emulation(const char* program, int argc, char** argv);

// How an emulation ended, for the last line and the exit status.
enum class EmulationEnd { complete, interrupted, with_errors };
int print_end(EmulationEnd end);

}  // namespace ovni
