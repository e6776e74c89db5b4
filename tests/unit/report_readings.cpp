// How often ovniemu reads the streams of a trace, by the bytes that it says it has read.
#include "tests/unit/report_test.hpp"

namespace ovni::test {

namespace {

class ReadingsTest : public ReportTest {
 protected:
    // Ranks that were killed in MPI_Wait, one of them with a thread that has locks.
    void make_killed_job() {
        const std::vector<std::pair<std::string, std::string>> mpi = {{"ovni", "1.1.0"}, {"mpi", "1.1.0"}};
        const std::vector<std::pair<std::string, std::string>> locks = {{"ovni", "1.1.0"},
                                                                        {"pthread", "1.0.0"}};
        for (int rank = 0; rank < 2; ++rank) {
            StreamBuilder& thread =
                trace_.thread({.loom = std::string(1, static_cast<char>('a' + rank)) + ".x",
                               .pid = 1 + rank,
                               .tid = 1 + rank,
                               .rank = rank,
                               .nranks = 2,
                               .require = mpi});
            thread.starts(1'000'000).event("MUi", 1'000'100).event("MUI", 1'000'200);
            for (int64_t at = 1'000'300; at < 9'000'000; at += 100)
                thread.event("MR[", at).event("MR]", at + 50);
            thread.event("MW[", 9'100'000).set("ovni.end", {{"by", "signal"}, {"code", 9}});
        }
        trace_.thread({.loom = "a.x", .pid = 1, .tid = 10, .rank = 0, .nranks = 2, .require = locks})
            .starts(1'000'000)
            .set("ovni.end", {{"by", "signal"}, {"code", 9}});
    }
    uint64_t bytes_of_streams() {
        uint64_t sum = 0;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(trace_.write()))
            if (entry.path().filename() == "stream.obs") sum += entry.file_size();
        return sum;
    }
    uint64_t bytes_read(std::vector<std::string> options) {
        options.insert(options.end(), {"--statistics", file("statistics.json").string()});
        const Finished done = emulate(std::move(options));
        EXPECT_EQ(done.status, 0) << done.err;
        return Json::parse(read_file(file("statistics.json")))[0]["bytes_read"].get<uint64_t>();
    }
};

TEST_F(ReadingsTest, AKilledJobIsReadTwiceForAllOutputs) {
    make_killed_job();
    const uint64_t once = bytes_of_streams();
    for (const char* jobs : {"-j1", "-j2"}) {
        EXPECT_EQ(bytes_read({jobs}), 2 * once) << jobs;
        EXPECT_EQ(bytes_read({jobs, "--mpi-prv", "--html", file("page.html").string(), "--otf2",
                              file("otf2").string(), "--perfetto", file("p").string(), "--breakdown"}),
                  2 * once)
            << jobs;
    }
}

TEST_F(ReadingsTest, ATraceIsReadOnceIfNothingHasToBeKnownBefore) {
    trace_.thread().starts(10).event("OB.", 20).ends(30);
    EXPECT_EQ(bytes_read({}), bytes_of_streams());
}

}  // namespace
}  // namespace ovni::test
