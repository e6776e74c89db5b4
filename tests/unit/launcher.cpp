// Ranks and sizes by the variables of each launcher; which launcher counts if a job starts another one.
#include "core/launcher.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <map>
#include <string>

namespace ovni {
namespace {

using Variables = std::map<std::string, std::string>;

// The variables of all launchers are those of a case alone.
class LauncherTest : public testing::Test {
 protected:
    LauncherTest() {
        ::unsetenv("PMI_FD");
        for (const Launcher& launcher : launchers) {
            for (const char* name : {launcher.rank, launcher.size}) forget(name);
            for (const auto* names : {&launcher.local_rank, &launcher.local_size, &launcher.job})
                for (const char* name : *names) forget(name);
        }
    }
    ~LauncherTest() override {
        for (const auto& [name, value] : set_) ::unsetenv(name.c_str());
        for (int end : ends_) ::close(end);
    }
    void set(const Variables& variables) {
        for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
        set_.insert(variables.begin(), variables.end());
    }
    std::string open_socket() {
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends_), 0);
        return std::to_string(ends_[0]);
    }

 private:
    static void forget(const char* name) {
        if (name) ::unsetenv(name);
    }
    Variables set_;
    int ends_[2] = {-1, -1};
};

TEST_F(LauncherTest, OutsideOfJobsThereIsNoRank) {
    EXPECT_EQ(launcher_of_process(), nullptr);
    EXPECT_EQ(rank_by_launcher(), -1);
    EXPECT_EQ(size_by_launcher(), -1);
    EXPECT_EQ(local_size_by_launcher(), -1);
    EXPECT_EQ(job_by_launcher(), 0u);
    EXPECT_TRUE(is_first_rank());
    EXPECT_TRUE(is_first_rank_of_node());
}

TEST_F(LauncherTest, EmptyVariablesAreNotSet) {
    set({{"OMPI_COMM_WORLD_RANK", ""}, {"PMI_RANK", ""}, {"SLURM_PROCID", "3"}, {"SLURM_NTASKS", ""}});
    EXPECT_EQ(rank_by_launcher(), 3);
    EXPECT_EQ(size_by_launcher(), -1);
}

struct Case {
    std::string name;
    Variables variables;
    std::string family;
    int size = 8;
    int local_size = 4;
};

class EachLauncher : public LauncherTest, public testing::WithParamInterface<Case> {};

TEST_P(EachLauncher, SaysRankSizeAndNode) {
    set(GetParam().variables);
    ASSERT_NE(launcher_of_process(), nullptr);
    EXPECT_EQ(launcher_of_process()->family, GetParam().family);
    EXPECT_EQ(rank_by_launcher(), 4);
    EXPECT_EQ(size_by_launcher(), GetParam().size);
    EXPECT_EQ(local_size_by_launcher(), GetParam().local_size);
    EXPECT_FALSE(is_first_rank());
}

INSTANTIATE_TEST_SUITE_P(
    Launchers, EachLauncher,
    testing::Values(
        Case{"OpenMpi",
             {{"OMPI_COMM_WORLD_RANK", "4"},
              {"OMPI_COMM_WORLD_SIZE", "8"},
              {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
              {"PMIX_RANK", "4"}},
             "openmpi"},
        Case{"Hydra", {{"PMI_RANK", "4"}, {"PMI_SIZE", "8"}, {"MPI_LOCALNRANKS", "4"}}, "mpich"},
        Case{"HydraWithAPort", {{"PMI_ID", "4"}, {"MPI_LOCALNRANKS", "4"}}, "mpich", -1},
        Case{"Mvapich",
             {{"MV2_COMM_WORLD_RANK", "4"}, {"MV2_COMM_WORLD_SIZE", "8"}, {"MV2_COMM_WORLD_LOCAL_SIZE", "4"}},
             "mpich"},
        Case{"Jsrun",
             {{"JSM_NAMESPACE_RANK", "4"}, {"JSM_NAMESPACE_SIZE", "8"}, {"JSM_NAMESPACE_LOCAL_SIZE", "4"}},
             "openmpi"},
        Case{"Flux", {{"FLUX_TASK_RANK", "4"}, {"FLUX_JOB_SIZE", "8"}}, "", 8, -1},
        Case{"Pals", {{"PALS_RANKID", "4"}}, "mpich", -1, -1},
        Case{"PalsWithPmi", {{"PALS_RANKID", "4"}, {"PMI_RANK", "4"}, {"PMI_SIZE", "8"}}, "mpich", 8, -1},
        Case{"Slurm",
             {{"SLURM_PROCID", "4"}, {"SLURM_NTASKS", "8"}, {"SLURM_STEP_TASKS_PER_NODE", "4(x2)"}},
             ""},
        Case{"SlurmWithPmix",
             {{"SLURM_PROCID", "4"},
              {"SLURM_NTASKS", "8"},
              {"SLURM_NTASKS_PER_NODE", "4"},
              {"PMIX_RANK", "4"}},
             ""},
        // The daemons of mpirun are tasks of Slurm.
        Case{"MpirunOfSlurm",
             {{"SLURM_PROCID", "1"},
              {"SLURM_NTASKS", "2"},
              {"OMPI_COMM_WORLD_RANK", "4"},
              {"OMPI_COMM_WORLD_SIZE", "8"},
              {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}},
             "openmpi"},
        Case{"Pmix", {{"PMIX_RANK", "4"}}, "openmpi", -1, -1}),
    [](const auto& each) { return each.param.name; });

const Variables both{{"OMPI_COMM_WORLD_RANK", "1"},
                     {"OMPI_COMM_WORLD_SIZE", "2"},
                     {"PMIX_NAMESPACE", "outer"},
                     {"PMI_RANK", "3"},
                     {"PMI_SIZE", "5"}};

TEST_F(LauncherTest, HydraBelowMpirunHasItsSocketOpen) {
    set(both);
    set({{"PMI_FD", open_socket()}});
    EXPECT_EQ(rank_by_launcher(), 3);
    EXPECT_EQ(size_by_launcher(), 5);
    EXPECT_EQ(job_by_launcher(), 0u);
}

TEST_F(LauncherTest, MpirunBelowHydraHasClosedItsSocket) {
    set(both);
    set({{"PMI_FD", "987654"}});
    errno = 0;
    EXPECT_EQ(rank_by_launcher(), 1);
    EXPECT_EQ(size_by_launcher(), 2);
    EXPECT_EQ(errno, 0);
}

TEST_F(LauncherTest, AFileThatTookTheNumberOfTheSocketIsNone) {
    set(both);
    const int file = ::open("/dev/null", O_RDONLY);
    set({{"PMI_FD", std::to_string(file)}});
    EXPECT_EQ(rank_by_launcher(), 1);
    ::close(file);
}

TEST_F(LauncherTest, TheFirstOfANodeIsRankZeroThere) {
    set({{"OMPI_COMM_WORLD_RANK", "4"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "1"}});
    EXPECT_FALSE(is_first_rank_of_node());
    set({{"OMPI_COMM_WORLD_LOCAL_RANK", "0"}});
    EXPECT_TRUE(is_first_rank_of_node());
}

TEST_F(LauncherTest, JobsDiffer) {
    set({{"OMPI_COMM_WORLD_RANK", "4"}, {"PMIX_NAMESPACE", "1"}});
    const uint64_t first = job_by_launcher();
    set({{"PMIX_NAMESPACE", "2"}});
    EXPECT_NE(first, 0u);
    EXPECT_NE(job_by_launcher(), first);
}

}  // namespace
}  // namespace ovni
