// The worlds of a trace: each is an MPI_COMM_WORLD, whose ranks may be several applications.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "emu/plan/system.hpp"

namespace ovni {

struct World {
    int first_application = 0;
    int size = 0;                       // ranks that it has, as its processes say
    std::map<int, uint32_t> processes;  // those of the trace, by rank
};

// The worlds stand in the order of applications. Processes without a rank are in none.
std::vector<World> worlds(const System& system);

// A world with more ranks, as its processes say, than the trace has streams of.
struct MissingRanks {
    int application = 0;
    size_t missing = 0, ranks = 0;
    int first = 0;  // that is missing
};
// Empty for a trace from which ovnicut has left out threads.
std::vector<MissingRanks> missing_ranks(const System& system);
// "2 of 4 ranks of application 1 have no stream, the first is rank 2"
std::string sentence(const MissingRanks& missing);
// Warns about each world, with possible reasons.
void warn_about_missing_ranks(const System& system);

}  // namespace ovni
