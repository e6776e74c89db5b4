// The command line of ovnicut.
#pragma once

#include <filesystem>

#include "base/cli.hpp"
#include "cut/cut_options.hpp"

namespace ovni {

struct CutCommand {
    std::filesystem::path trace, output;
    CutOptions options;
};

// Declares the command line; read_cut_command() interprets it. Throws UsageError.
Cli cut_cli();
CutCommand read_cut_command(const Cli& cli);

}  // namespace ovni
