// The first rank of a job prints what is printed once per job.
#pragma once

#include <cstdlib>
#include <string_view>

namespace ovni::run {

// True outside of jobs as well.
inline bool is_first_rank() {
    for (const char* rank : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
        if (const char* text = std::getenv(rank); text && std::string_view(text) != "0") return false;
    return true;
}

}  // namespace ovni::run
