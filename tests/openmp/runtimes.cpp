// Programs without OpenMP that load libraries with it, one after the other, with several runtimes.
#include <unistd.h>

#include "base/file.hpp"
#include "tests/openmp/openmp_test.hpp"

namespace ovni::test {
namespace {

namespace fs = std::filesystem;

class OpenMpRuntimes : public OpenMpTest {
 protected:
    static constexpr const char* seconds = "60";

    Finished host(const std::string& how, const Words& libraries = {}, const Words& environment = {}) const {
        const std::string program = std::string(BUILD_DIR) + "/tests/openmp/host";
        return traced_openmp(1, Words{"timeout", "-s", "KILL", seconds, program, how} + libraries, {},
                             environment);
    }
    std::string library(const std::string& name) const { return openmp_program(name) + ".so"; }
    static void expect_prints(const Finished& done, const std::string& result) {
        ASSERT_EQ(done.status, 0) << done.err;
        EXPECT_EQ(done.out, result + "\n") << done.err;
    }
};

TEST_P(OpenMpRuntimes, ManyLibrariesSeeTheirOwnAlone) {
    constexpr int copies = 70;
    Words libraries;
    for (int i = 0; i < copies; ++i) {
        libraries.push_back(path("copy" + std::to_string(i) + ".so"));
        fs::copy_file(library("plugin"), libraries.back());
    }
    expect_prints(host("each", libraries), std::to_string(4 * copies));
    expect_strictly_emulates();
    Counts counts = counts_of_rank(0);
    EXPECT_EQ(counts["PCf"], copies);
    EXPECT_EQ(counts["PR["], 2 * copies);
    EXPECT_EQ(counts["PI["], 2 * copies);
}

TEST_P(OpenMpRuntimes, ALibraryComesAndGoes) {
    expect_prints(host("again", {library("plugin")}), "400");
    expect_strictly_emulates();
    EXPECT_EQ(counts_of_rank(0)["PCf"], 100);
}

// The maker of the team has the loader's lock, and waits for the thread that calls.
TEST_P(OpenMpRuntimes, OthersCallInTheConstructorOfALibrary) {
    expect_prints(host("load", {library("in_loader_outer")}), "0");
    expect_strictly_emulates();
    EXPECT_EQ(counts_of_rank(0)["PCf"], 2);
}

// At its first call libomp itself asks the loader for tools.
TEST_P(OpenMpRuntimes, TheErrorOfTheLoaderIsKept) {
    expect_prints(host("error", {library("plugin")}), GetParam() == Runtime::libgomp ? "11" : "1");
}

TEST_P(OpenMpRuntimes, NamesAreFoundWithoutTheFile) {
    expect_prints(host("away", {library("plugin")}), "4");
    expect_strictly_emulates();
    const std::string pcf = read_file(trace_directory() + "/thread.pcf");
    EXPECT_NE(pcf.find("loop share+0x"), std::string::npos) << pcf;
}

TEST_P(OpenMpRuntimes, AProgramMayAskWhetherThereIsOpenMp) {
    expect_prints(host("weak"), "7");
}

INSTANTIATE_TEST_SUITE_P(Runtimes, OpenMpRuntimes, ::testing::Values(Runtime::libgomp, Runtime::libomp),
                         ::testing::PrintToStringParamName());

class TwoRuntimes : public OpenMpRuntimes {};

TEST_P(TwoRuntimes, EachCallReachesTheOneThatItsLibraryIsLinkedWith) {
    const std::string own = std::string(BUILD_DIR) + "/tests/openmp/plugin_own.so";
    expect_prints(host("around", {own, library("plugin")}), "4");
    expect_strictly_emulates();
    EXPECT_EQ(counts_of_rank(0)["PCf"], 3);
}

INSTANTIATE_TEST_SUITE_P(Runtimes, TwoRuntimes, ::testing::Values(Runtime::libgomp),
                         ::testing::PrintToStringParamName());

class LibompByAnotherName : public OpenMpRuntimes {};

// Some distributions call it libgomp.so.1: it has all entry points, and reports as well.
TEST_P(LibompByAnotherName, EveryEventIsRecordedOnce) {
    fs::create_symlink(OVNI_TEST_LIBOMP, path("libgomp.so.1"));
    const std::string plugin = std::string(BUILD_DIR) + "/tests/openmp/plugin_gcc.so";
    expect_prints(host("each", {plugin}, {"LD_LIBRARY_PATH=" + path("")}), "4");
    expect_strictly_emulates();
    Counts counts = counts_of_rank(0);
    EXPECT_EQ(counts["PCf"], 1);
    EXPECT_EQ(counts["PR["], 2);
    EXPECT_EQ(counts["PBj"], 2) << "libgomp shows one of them";
    EXPECT_EQ(counts["PI["], 2);
    EXPECT_EQ(counts["PX[8"], 2) << "locks";
}

INSTANTIATE_TEST_SUITE_P(Runtimes, LibompByAnotherName, ::testing::Values(Runtime::libomp),
                         ::testing::PrintToStringParamName());

// Further functions would be looked up at each call.
TEST(OpenMpRuntime, ARowHasRoomForAllFunctionsOfARuntime) {
    const std::string library = std::string(BUILD_DIR) + "/lib/libovni-openmp.so";
    Finished done = run({"readelf", "-SW", library});
    if (done.status != 0) GTEST_SKIP() << "there is no readelf: " << done.err;
    std::istringstream words(done.out.substr(done.out.find(" ovni_gomp ")));
    std::string word, size;
    for (int i = 0; i < 5 && words >> word; ++i) size = word;
    constexpr size_t bytes_of_function = 16, most_functions = 160;
    const size_t functions = std::stoul(size, nullptr, 16) / bytes_of_function;
    EXPECT_GT(functions, 50u);
    EXPECT_LE(functions, most_functions);
}

}  // namespace
}  // namespace ovni::test
