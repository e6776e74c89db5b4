// The tracing libraries that go with this executable, in the build tree or installed, and the value of
// LD_PRELOAD that names them.
#pragma once

#include <cstdint>
#include <string>

namespace ovni::run {

// The libraries that chains need besides those of every program.
struct ForChains {
    bool threads = false;  // threads are numbered when they are created
    bool code = false;     // alarms wait for code of the program
    // An alarm waits for an address: the system must not choose other ones for each run.
    bool fixed_addresses = false;
};

// False where the library for the program's code could not be built.
bool has_code_library();

// Whether and how OpenMP is recorded: see the option --openmp.
enum class OpenMp : uint8_t { off, automatic, by_libomp };

// The value of LD_PRELOAD for the traced program: our libraries, then those in `present` (null: none). Throws
// Error if a library is missing, or if LD_PRELOAD cannot name it.
std::string preload_list(const char* present, const ForChains& chains, OpenMp openmp);

// The path of the library that records OpenMP.
std::string openmp_library();

}  // namespace ovni::run
