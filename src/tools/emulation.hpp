// What the serial and the distributed emulator share: their command line, and the names and words of their
// ends.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/cli.hpp"
#include "emu/emulator.hpp"
#include "emu/plan.hpp"

namespace ovni {

struct EmulationOptions {
    std::filesystem::path trace;
    std::filesystem::path output;  // the trace directory, unless -o says another
    std::optional<std::string> clock_table;
    EnabledModels enabled = EnabledModels::required;
    Strictness strictness = Strictness::tolerant;
    Regions regions = Regions::as_they_are;
};

// The command line of an emulator, to be parsed; and what it says. The output directory is not made here.
Cli emulation_cli(const char* program);
EmulationOptions read_options(const Cli& cli);

// How an emulation ended, for the last line and the exit status.
enum class EmulationEnd { complete, interrupted, with_errors };
int print_end(EmulationEnd end);

}  // namespace ovni
