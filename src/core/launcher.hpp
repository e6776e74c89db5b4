// Launchers of MPI jobs, and the variables that they set for their processes: rank, size, and job.
//
// Sources: mpirun(1) of Open MPI; the hydra of MPICH 4.0 and Intel MPI's guide; the user guide of MVAPICH2;
// srun(1); flux-run(1); the guides of HPE's PALS and IBM's jsrun.
#pragma once

#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>

#include "core/hydra_proxy.hpp"

namespace ovni {

// Names of variables; the first that is set counts. Null after the last.
struct Launcher {
    using Names = const char* [3];
    const char* family;  // the MPI of its programs, "openmpi" or "mpich"; "" if either
    const char* rank;    // set in all processes that it starts, and in no others
    bool has_pmi_socket;
    const char* size;  // null: there is no such variable
    Names local_rank;  // among the processes of the job on this node
    Names local_size;
    Names job;  // all are combined
};

// A launcher that was started by another one passes on the variables of both. Hydra's descriptor is open only
// in processes that hydra itself started, so its row comes first.
inline constexpr Launcher launchers[] = {
    {"mpich",
     "PMI_RANK",
     true,
     "PMI_SIZE",
     {"MPI_LOCALRANKID", "PMI_LOCAL_RANK", "SLURM_LOCALID"},
     {"MPI_LOCALNRANKS", "PMI_LOCAL_SIZE"},
     {"PMI_JOBID"}},
    {"openmpi",
     "OMPI_COMM_WORLD_RANK",
     false,
     "OMPI_COMM_WORLD_SIZE",
     {"OMPI_COMM_WORLD_LOCAL_RANK"},
     {"OMPI_COMM_WORLD_LOCAL_SIZE"},
     {"PMIX_NAMESPACE", "OMPI_MCA_orte_hnp_uri"}},
    {"mpich",
     "MV2_COMM_WORLD_RANK",
     false,
     "MV2_COMM_WORLD_SIZE",
     {"MV2_COMM_WORLD_LOCAL_RANK"},
     {"MV2_COMM_WORLD_LOCAL_SIZE"},
     {}},
    {"openmpi",
     "JSM_NAMESPACE_RANK",
     false,
     "JSM_NAMESPACE_SIZE",
     {"JSM_NAMESPACE_LOCAL_RANK"},
     {"JSM_NAMESPACE_LOCAL_SIZE"},
     {"PMIX_NAMESPACE", "LSB_JOBID"}},
    {"", "FLUX_TASK_RANK", false, "FLUX_JOB_SIZE", {"FLUX_TASK_LOCAL_ID"}, {}, {"FLUX_JOB_ID"}},
    {"mpich",
     "PMI_RANK",
     false,
     "PMI_SIZE",
     {"MPI_LOCALRANKID", "PMI_LOCAL_RANK", "PALS_LOCAL_RANKID"},
     {"MPI_LOCALNRANKS", "PMI_LOCAL_SIZE"},
     {"PMI_JOBID", "PALS_APID"}},
    {"mpich", "PMI_ID", false, nullptr, {"MPI_LOCALRANKID"}, {"MPI_LOCALNRANKS"}, {}},
    {"mpich", "PALS_RANKID", false, nullptr, {"PALS_LOCAL_RANKID"}, {}, {"PALS_APID"}},
    {"",
     "SLURM_PROCID",
     false,
     "SLURM_NTASKS",
     {"SLURM_LOCALID"},
     {"SLURM_NTASKS_PER_NODE", "SLURM_STEP_TASKS_PER_NODE"},
     {"SLURM_JOB_ID", "SLURM_STEP_ID"}},
    {"openmpi", "PMIX_RANK", false, nullptr, {}, {}, {"PMIX_NAMESPACE"}},
};

// The value of the variable; null if it is unset or empty.
inline const char* launcher_value(const char* variable) noexcept {
    const char* value = variable ? secure_getenv(variable) : nullptr;
    return value && *value ? value : nullptr;
}

inline bool is_open_socket(const char* descriptor) noexcept {
    const int before = errno;
    struct stat what {};
    const bool is_open = descriptor && fstat(atoi(descriptor), &what) == 0 && S_ISSOCK(what.st_mode);
    errno = before;
    return is_open;
}

// The launcher of this process; null outside of jobs.
inline const Launcher* launcher_of_process() noexcept {
    for (const Launcher& launcher : launchers)
        if (launcher_value(launcher.rank) &&
            (!launcher.has_pmi_socket || is_open_socket(launcher_value("PMI_FD"))))
            return &launcher;
    return nullptr;
}

// -1 if none of them is set.
inline int number_by_launcher(const Launcher::Names& variables) noexcept {
    for (const char* variable : variables)
        if (const char* value = launcher_value(variable)) return atoi(value);
    return -1;
}

// This and the next functions return -1 if no launcher gives the number.
inline int rank_by_launcher() noexcept {
    const Launcher* launcher = launcher_of_process();
    return launcher ? number_by_launcher({launcher->rank}) : -1;
}

inline int size_by_launcher() noexcept {
    const Launcher* launcher = launcher_of_process();
    return launcher ? number_by_launcher({launcher->size}) : -1;
}

// The number of the job's processes on this node.
inline int local_size_by_launcher() noexcept {
    const Launcher* launcher = launcher_of_process();
    return launcher ? number_by_launcher(launcher->local_size) : -1;
}

// True for the first rank of a job, which prints what is printed once per job. True outside of jobs as well.
inline bool is_first_rank() noexcept {
    return rank_by_launcher() <= 0;
}

// True outside of jobs as well.
inline bool is_first_rank_of_node() noexcept {
    const Launcher* launcher = launcher_of_process();
    return is_first_rank() || number_by_launcher(launcher->local_rank) == 0;
}

enum class Jobs : uint8_t { named, any };

// A number that identifies the job among concurrent jobs, equal in all its processes. 0: the launcher gives
// none. `named`: only if no later job can reuse it. FNV-1a.
inline uint64_t job_by_launcher(Jobs which = Jobs::any) noexcept {
    const Launcher* launcher = launcher_of_process();
    if (!launcher) return 0;
    uint64_t hash = 0xcbf29ce484222325;
    bool is_known = false;
    auto add = [&](const char* value) {
        is_known |= value && *value;
        for (const char* at = value; at && *at; ++at)
            hash = (hash ^ static_cast<unsigned char>(*at)) * 0x100000001b3;
    };
    for (const char* variable : launcher->job) add(launcher_value(variable));
    if (!is_known && launcher->has_pmi_socket && which == Jobs::any) add(HydraProxy().text());
    return is_known ? hash : 0;
}

}  // namespace ovni
