// Words of launchers of MPI jobs in the environment: rank, size, and which job. Environment variables of
// Open MPI, PMIx, PMI (MPICH) and Slurm.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <initializer_list>

namespace ovni {

// -1: no launcher says it.
inline int number_by_launcher(std::initializer_list<const char*> variables) noexcept {
    for (const char* variable : variables)
        if (const char* value = secure_getenv(variable)) return atoi(value);
    return -1;
}

inline int rank_by_launcher() noexcept {
    return number_by_launcher({"PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"});
}

inline int size_by_launcher() noexcept {
    return number_by_launcher({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"});
}

// The processes of a job on this node.
inline int local_size_by_launcher() noexcept {
    return number_by_launcher({"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_NTASKS_PER_NODE"});
}

// The first rank of a job prints what is printed once per job. True outside of jobs as well.
inline bool is_first_rank() noexcept {
    return rank_by_launcher() <= 0;
}

// True outside of jobs as well.
inline bool is_first_rank_of_node() noexcept {
    if (is_first_rank()) return true;
    return number_by_launcher({"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"}) == 0;
}

// A number that all processes of a job have, and no other job. 0: no launcher says it. FNV-1a.
inline uint64_t job_by_launcher() noexcept {
    uint64_t hash = 0xcbf29ce484222325;
    bool is_known = false;
    for (const char* variable :
         {"PMIX_NAMESPACE", "OMPI_MCA_orte_hnp_uri", "PMI_JOBID", "SLURM_JOB_ID", "SLURM_STEP_ID"}) {
        const char* value = secure_getenv(variable);
        is_known |= value != nullptr;
        for (const char* at = value; at && *at; ++at)
            hash = (hash ^ static_cast<unsigned char>(*at)) * 0x100000001b3;
    }
    return is_known ? hash : 0;
}

}  // namespace ovni
