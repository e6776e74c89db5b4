// --openmp and OVNI_OPENMP; tools of the user's own.
#include "tests/openmp/openmp_test.hpp"

namespace ovni::test {
namespace {

class OpenMpOptions : public TracedTest {
 protected:
    Finished show(const Words& options, const Words& environment = {}) const {
        return run(Words{program("ovnirun"), "-o", trace_directory()} + options +
                       Words{"sh", "-c", "echo $LD_PRELOAD; echo $OMP_TOOL_LIBRARIES"},
                   environment);
    }
    static bool has(const Finished& shown, const std::string& text) {
        return shown.out.find(text) != std::string::npos;
    }
};

TEST_F(OpenMpOptions, TheLibraryIsLoadedUnlessItIsUnwanted) {
    EXPECT_TRUE(has(show({}), "libovni-openmp.so"));
    EXPECT_TRUE(has(show({"--openmp=auto"}), "libovni-openmp.so"));
    EXPECT_FALSE(has(show({"--openmp", "off"}), "libovni-openmp.so"));
    EXPECT_FALSE(has(show({}, {"OVNI_OPENMP=off"}), "libovni-openmp.so"));
    EXPECT_FALSE(has(show({"--mpi-events", "reference"}), "libovni-openmp.so"));
    EXPECT_TRUE(has(show({"--mpi-events", "reference", "--openmp", "auto"}), "libovni-openmp.so"));
}

TEST_F(OpenMpOptions, AWrongWordIsAMistake) {
    EXPECT_EQ(show({"--openmp=gomp"}).status, 2);
    EXPECT_EQ(show({}, {"OVNI_OPENMP=yes"}).status, 2);
    EXPECT_EQ(show({"--openmp", "libgomp"}).status, 2) << "taken for the program";
}

TEST_F(OpenMpOptions, ToolsOfTheUserComeFirst) {
    Finished shown = show({}, {"OMP_TOOL_LIBRARIES=/opt/libmine.so"});
    EXPECT_TRUE(has(shown, "\n/opt/libmine.so:/")) << shown.out;
    EXPECT_TRUE(has(shown, "/libovni-openmp.so\n")) << shown.out;
    EXPECT_TRUE(
        has(show({"--openmp", "off"}, {"OMP_TOOL_LIBRARIES=/opt/libmine.so"}), "\n/opt/libmine.so\n"));
}

TEST_F(OpenMpOptions, LibompComesBeforeTheLibrary) {
    if (!OVNI_TEST_HAS_LIBOMP) GTEST_SKIP() << "libomp is missing";
    Finished shown = show({"--openmp", "libomp"});
    ASSERT_EQ(shown.status, 0) << shown.err;
    EXPECT_LT(shown.out.find("libomp.so.5"), shown.out.find("libovni-openmp.so"));
}

}  // namespace
}  // namespace ovni::test
