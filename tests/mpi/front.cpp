// ovnisync and ovniemu-mpi where there are two MPIs: each launcher gets one job of its own MPI.
#include <nlohmann/json.hpp>

#include "tests/mpi/emulator_test.hpp"

namespace ovni::test {
namespace {

class FrontTest : public DistributedTest {
 protected:
    FrontTest() { build(trace_, {.seed = 21}); }

    static Finished run_job(const std::vector<std::string>& words,
                            std::vector<std::string> environment = {}) {
        environment.insert(environment.end(), mpi_environment.begin(), mpi_environment.end());
        return run(words, environment, 120);
    }
    // How many ranks each job had that was started as `launcher ovniemu-mpi`; 0 if it failed.
    size_t ranks_of(std::vector<std::string> launcher) {
        const fs::path out = output("out"), statistics = output("statistics");
        for (const std::string& word : {program("ovniemu-mpi"), std::string("--statistics"),
                                        statistics.string(), std::string("-o"), out.string()})
            launcher.push_back(word);
        launcher.push_back(trace_.write());
        const Finished done = run_job(launcher);
        EXPECT_EQ(done.status, 0) << done.err;
        return done.status == 0 ? nlohmann::json::parse(read_file(statistics)).size() : 0;
    }
    static std::string version(const std::vector<std::string>& launcher,
                               const std::vector<std::string>& environment = {}) {
        std::vector<std::string> words = launcher;
        words.push_back(program("ovnisync"));
        words.push_back("--version");
        return run_job(words, environment).out;
    }
    static std::string of_family(const std::string& family, const std::string& name) {
        return program("") + "../libexec/ovni-mpi/" + name + "-" + family;
    }
};

const std::vector<std::string> of_open_mpi{"mpirun.openmpi", "-n"}, of_mpich{"mpiexec.mpich", "-n"};

std::vector<std::string> operator+(std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

std::vector<std::string> start(const std::vector<std::string>& launcher, int ranks) {
    return launcher + std::vector{std::to_string(ranks)};
}

TEST_F(FrontTest, BothLaunchersStartOneJob) {
    for (const auto& launcher : {of_open_mpi, of_mpich})
        for (int ranks : {1, 2, 4})
            EXPECT_EQ(ranks_of(start(launcher, ranks)), static_cast<size_t>(ranks)) << launcher[0];
    EXPECT_EQ(ranks_of({}), 1u);
}

TEST_F(FrontTest, TheInnerLauncherCounts) {
    EXPECT_EQ(ranks_of(start(of_open_mpi, 1) + start(of_mpich, 2)), 2u);
    EXPECT_EQ(ranks_of(start(of_mpich, 1) + start(of_open_mpi, 2)), 2u);
}

TEST_F(FrontTest, BothProgramsTakeTheLaunchersMpi) {
    EXPECT_THAT(version(start(of_open_mpi, 1)), HasSubstr("MPI: Open MPI"));
    EXPECT_THAT(version(start(of_mpich, 1)), HasSubstr("MPI: MPICH"));
}

TEST_F(FrontTest, AVariableChoosesAsWell) {
    EXPECT_THAT(version({}, {"OVNI_MPI=mpich"}), HasSubstr("MPI: MPICH"));
    EXPECT_THAT(version({}, {"OVNI_MPI=openmpi"}), HasSubstr("MPI: Open MPI"));
    const Finished done = run_job(start(of_mpich, 2) + std::vector{program("ovnisync")}, {"OVNI_MPI=lam"});
    EXPECT_EQ(done.status, 2);
    EXPECT_EQ(done.err, "ovnisync: ERROR: OVNI_MPI is openmpi or mpich, not 'lam'\n");
}

TEST_F(FrontTest, ProgramsOfAnotherMpiSayWhy) {
    const std::pair<std::vector<std::string>, std::string> foreign[] = {{of_open_mpi, "mpich"},
                                                                        {of_mpich, "openmpi"}};
    for (const auto& [launcher, family] : foreign) {
        const fs::path out = output(family);
        const Finished done =
            run_job(start(launcher, 2) + std::vector{of_family(family, "ovniemu-mpi"), std::string("-o"),
                                                     out.string(), trace_.write().string()});
        EXPECT_EQ(done.status, 2) << done.err;
        EXPECT_THAT(message(done.err), HasSubstr("ERROR: started as 2 processes that")) << done.err;
        EXPECT_FALSE(fs::exists(out));
    }
}

TEST_F(FrontTest, StatusesPassThrough) {
    for (const auto& launcher : {of_open_mpi, of_mpich}) {
        const Finished done =
            run_job(start(launcher, 2) + std::vector{program("ovniemu-mpi"), output("nothing").string()});
        EXPECT_EQ(done.status, 1) << done.err;
        EXPECT_THAT(message(done.err), HasSubstr("ERROR: "));
    }
}

}  // namespace
}  // namespace ovni::test
