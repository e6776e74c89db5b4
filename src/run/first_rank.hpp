// The first rank of a job prints what is printed once per job.
#pragma once

#include <cstdlib>
#include <string_view>

namespace ovni::run {

// Also true outside of jobs.
inline bool is_first_rank() {
    for (const char* rank : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
        if (const char* text = std::getenv(rank); text && std::string_view(text) != "0") return false;
    return true;
}

}  // namespace ovni::run
