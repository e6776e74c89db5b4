// Streams: the versions that they require, and what is shown of them.
#include "base/file.hpp"
#include "tests/openmp/openmp_test.hpp"

namespace ovni::test {
namespace {

class OpenMpRecording : public OpenMpTest {};

TEST_P(OpenMpRecording, RequiresTheVersionOfItsEvents) {
    ASSERT_EQ(traced_openmp(2, {openmp_program("triangle"), "50", "2"}).status, 0);
    expect_strictly_emulates();
    const Trace read = trace();
    std::set<int> of_ranks;
    for (uint32_t s = 0; s < read.streams().size(); ++s) {
        const auto& metadata = read.streams()[s].metadata;
        of_ranks.insert(metadata.process->rank.value_or(-1));
        ASSERT_TRUE(metadata.common->require.contains("openmp")) << read.path_of(s);
        EXPECT_EQ(metadata.common->require.at("openmp"), "1.4.0");
    }
    EXPECT_EQ(read.streams().size(), 2u * 3) << "each thread of each team has a stream";
    EXPECT_EQ(of_ranks, (std::set<int>{0, 1}));
}

// A critical section has events of the reference alone, which reads such a stream.
TEST_P(OpenMpRecording, RequiresTheReferencesVersionForItsEvents) {
    ASSERT_EQ(traced_openmp(1, {openmp_program("constructs"), path(""), "serial"}).status, 0);
    expect_strictly_emulates();
    EXPECT_EQ(counts_of_rank(0)["PI["], 1);
    ASSERT_EQ(streams().size(), 1u);
    EXPECT_EQ(streams()[0].metadata.common->require.at("openmp"), "1.2.1");
    EXPECT_EQ(read_file(trace_directory() + "/thread.pcf").find("OpenMP parallel region"), std::string::npos);
}

TEST_P(OpenMpRecording, NothingIsRequiredIfOpenMpIsOff) {
    ASSERT_EQ(traced_openmp(1, {openmp_program("triangle"), "50", "2"}, {"--openmp", "off"}).status, 0);
    for (const Stream& stream : streams()) EXPECT_FALSE(stream.metadata.common->require.contains("openmp"));
}

// Launchers bind a rank with all its threads to a core.
TEST_P(OpenMpRecording, ATeamMayShareACpu) {
    ASSERT_EQ(traced_openmp(1, {openmp_program("triangle"), "50", "2"}, {"--cpu", "sample"},
                            {"OMPI_MCA_hwloc_base_binding_policy=core"})
                  .status,
              0);
    expect_strictly_emulates();
}

TEST_P(OpenMpRecording, TimelinesShowRegionsAndTeams) {
    ASSERT_EQ(traced_openmp(1, {openmp_program("triangle"), "50", "2"}).status, 0);
    expect_strictly_emulates();
    const std::string pcf = read_file(trace_directory() + "/thread.pcf");
    EXPECT_NE(pcf.find("OpenMP parallel region"), std::string::npos);
    EXPECT_NE(pcf.find("OpenMP threads of the team"), std::string::npos);
    EXPECT_NE(pcf.find("main"), std::string::npos) << "the label of the region";
    const std::string prv = read_file(trace_directory() + "/thread.prv");
    for (const char* row : {":1:", ":2:", ":3:"}) {
        bool has_team = false;
        std::istringstream lines(prv);
        for (std::string line; std::getline(lines, line);)
            if (line.starts_with("2:0:1:1" + std::string(row)) && line.ends_with(":55:3")) has_team = true;
        EXPECT_TRUE(has_team) << "row " << row;
    }
}

// The shares of all threads in a state: columns of the table end where their heads end.
std::vector<double> shares_in(const std::string& table, const std::string& state) {
    std::istringstream lines(table);
    std::string heads, line;
    std::getline(lines, line);
    std::getline(lines, heads);
    const size_t end = heads.find(state) + state.size();
    std::vector<double> shares;
    while (std::getline(lines, line) && line.starts_with("rank"))
        shares.push_back(std::atof(line.substr(line.rfind(' ', end - 1), end).c_str()));
    return shares;
}

bool busiest_is_last(const std::string& table, const std::string& state) {
    const std::vector<double> shares = shares_in(table, state);
    return shares.size() == 3 && shares[2] > 1.5 * shares[0] && shares[2] > shares[1];
}

// The last thread has five times the work of the first one.
TEST_P(OpenMpRecording, SharesFindTheThreadWithMostWork) {
    const std::string state =
        GetParam() == Runtime::libomp ? "Work-distribution: Loop" : "Runtime: User microtask";
    const std::string columns = path("trace.h5");
    std::string table;
    constexpr int attempts = 3;  // others may use the processors
    for (int i = 0; i < attempts; ++i) {
        std::filesystem::remove_all(trace_directory());
        ASSERT_EQ(traced_openmp(1, {openmp_program("triangle"), "2000", "10"}).status, 0);
        Finished emulated = run({program("ovniemu"), "--hdf5", columns, trace_directory()});
        if (emulated.err.find("HDF5") != std::string::npos && emulated.status != 0)
            GTEST_SKIP() << "built without HDF5";
        ASSERT_EQ(emulated.status, 0) << emulated.err;
        Finished shares = run({std::string(SOURCE_DIR) + "/scripts/plots/shares", columns, "-t", "50", "--by",
                               "thread", "--table"});
        if (shares.err.find("No module") != std::string::npos) GTEST_SKIP() << shares.err;
        ASSERT_EQ(shares.status, 0) << shares.err;
        table = shares.out;
        if (busiest_is_last(table, state)) return;
    }
    FAIL() << "the last thread is not the busiest:\n" << table;
}

INSTANTIATE_TEST_SUITE_P(Runtimes, OpenMpRecording,
                         ::testing::Values(Runtime::libgomp, Runtime::libomp_for_gcc, Runtime::libomp),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace ovni::test
