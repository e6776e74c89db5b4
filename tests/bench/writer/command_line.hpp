// The command line that the programs of the benchmark of the writer share; each brings its own variants.
#pragma once

#include <span>

#include "tests/bench/writer/loops.hpp"

namespace ovni::bench {

// The exit status of a main function.
int run_writer_bench(const char* tool, std::span<const Variant> variants, int argc, char** argv);

}  // namespace ovni::bench
