// Punctual states begin before their event, and so may be another rank's to write: the outputs are those of
// one.
#include <map>

#include "tests/language/language_test.hpp"

namespace ovni::test {
namespace {

#ifdef WITH_MPI

class SameTest : public LanguageTest {
 protected:
    // Three looms whose events have the same clocks or neighbouring ones.
    void build() {
        for (int loom = 0; loom < 3; ++loom) {
            StreamBuilder& stream =
                thread({.loom = "node" + std::to_string(loom) + ".a", .pid = loom + 1, .tid = loom + 1});
            stream.starts(10 + loom);
            for (int64_t clock = 20; clock < 390; clock += 6)
                stream.event("XP[", clock)
                    .event("XPi", clock + loom % 2)
                    .event("XMi", clock + 1)
                    .event("XSd", clock + 2, {u64(1), u64(2)})
                    .event("XHi", clock + 2)
                    .event("OHp", clock + 3)
                    .event("OHr", clock + 4)
                    .event("XP]", clock + 4);
            stream.event("OHc", 400).event("OHp", 410).event("OHr", 420).ends(430 + loom);
        }
    }
    std::map<std::string, std::string> outputs(const std::filesystem::path& directory) {
        std::map<std::string, std::string> all;
        for (const char* output : {"thread", "cpu"})
            for (const char* extension : {".prv", ".pcf", ".row"})
                all[std::string(output) + extension] =
                    read_file(directory / (std::string(output) + extension));
        return all;
    }
    Finished distributed(int ranks, const std::string& output, const std::string& window) {
        return run({"mpirun", "-n", std::to_string(ranks), example_program("ovniemu-mpi"), "-o", output,
                    trace().path().string()},
                   {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                    "OMPI_MCA_rmaps_base_oversubscribe=1", "OMPI_MCA_mpi_yield_when_idle=1",
                    "ASAN_OPTIONS=detect_leaks=0", "OVNI_TEST_WINDOW=" + window});
    }
};

TEST_F(SameTest, AnyNumberOfRanksWritesTheSameBytes) {
    build();
    accept();
    auto expected = outputs(trace().path());
    EXPECT_THAT(expected["thread.prv"], HasSubstr(":300:3\n"));
    EXPECT_THAT(expected["cpu.prv"], HasSubstr(":300:666\n"));
    for (int ranks : {2, 3})
        for (const char* window : {"20", "1000000"}) {
            std::string output =
                (trace().path().parent_path() / ("ranks" + std::to_string(ranks) + window)).string();
            Finished done = distributed(ranks, output, window);
            ASSERT_EQ(done.status, 0) << done.err;
            EXPECT_EQ(outputs(output), expected) << ranks << " ranks, window " << window;
        }
}

#endif

}  // namespace
}  // namespace ovni::test
