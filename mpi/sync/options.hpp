// The command line of ovnisync.
#pragma once

#include <filesystem>
#include <string>

#include "base/cli.hpp"
#include "mpi/sync/measure.hpp"

namespace ovni::sync {

struct Options {
    std::string outfile;
    std::string samples_file;  // empty: none
    int samples = 0;
    int tables = 0;
    int pause_s = 0;
    bool verbose = false;

    std::filesystem::path clock_file() const;
    Effort effort() const;
};

Cli sync_cli();
// Throws UsageError.
Options read_options(const Cli& cli);

}  // namespace ovni::sync
