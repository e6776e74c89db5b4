// The worlds of a trace: each is an MPI_COMM_WORLD, whose ranks may be several applications.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "emu/system.hpp"

namespace ovni {

struct World {
    int first_application = 0;
    int size = 0;                       // ranks that it has, as its processes say
    std::map<int, uint32_t> processes;  // those of the trace, by rank
};

// The worlds stand in the order of applications. Processes without a rank are in none.
std::vector<World> worlds(const System& system);

}  // namespace ovni
