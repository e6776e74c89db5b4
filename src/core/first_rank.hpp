// The first rank of a job prints what is printed once per job.
#pragma once

#include <cstdlib>
#include <string_view>

namespace ovni {

// True outside of jobs as well.
inline bool is_first_rank() {
    for (const char* rank : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
        if (const char* text = std::getenv(rank); text && std::string_view(text) != "0") return false;
    return true;
}

// True outside of jobs as well.
inline bool is_first_rank_of_node() {
    if (is_first_rank()) return true;
    for (const char* rank : {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"})
        if (const char* text = std::getenv(rank)) return std::string_view(text) == "0";
    return false;
}

}  // namespace ovni
