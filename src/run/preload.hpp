// The tracing libraries that belong to this executable, in the build tree or installed, and the value of
// LD_PRELOAD that names them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/mpi_families.hpp"

namespace ovni::run {

// Recording of OpenMP: see the option --openmp.
enum class OpenMp : uint8_t { off, automatic, by_libomp };

// The libraries that are wanted besides those of every program.
struct Libraries {
    bool threads = false;  // number threads at their creation, and record their waits
    bool code = false;     // alarms wait for code of the program
    // An alarm waits for an address, so the system must not randomize addresses.
    bool fixed_addresses = false;
    bool counters = false;
    OpenMp openmp = OpenMp::off;
    const MpiFamily* mpi_family = nullptr;  // of the program
    // Sanitizer runtimes that the program is linked with; they must come first in LD_PRELOAD.
    std::vector<std::string> sanitizers = {};
};

// The sanitizer runtimes among these names of libraries.
std::vector<std::string> sanitizers_among(std::span<const std::string> libraries);

// The path of this executable.
std::filesystem::path own_program();

// False if there is no tracing library for the program's MPI family. Null: the family is not known yet.
bool has_mpi_library(const MpiFamily* program);

// False if the library for the program's code could not be built on this system.
bool has_code_library();

// The value of LD_PRELOAD for the traced program: our libraries, then those in `present` (null: none). Throws
// Error if a library is missing, or if LD_PRELOAD cannot name it.
std::string preload_list(const char* present, const Libraries& wanted);

// The path of the library that records OpenMP.
std::string openmp_library();

}  // namespace ovni::run
