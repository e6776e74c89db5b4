// Names of thread rows, and the date in the header: those of the reference, but in traces of our library.
#include "tests/unit/emulator_test.hpp"

namespace ovni::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr int64_t a_day_in_2024 = 1709251139;  // 29 February, 23:58:59
const std::string date_of_reference = "#Paraver (19/01/38 at 03:14):";

class RowNamesTest : public EmulatorTest {
 protected:
    StreamBuilder& ours(const Identity& identity) {
        StreamBuilder& stream = trace().thread(identity);
        return stream.set("ovni.run", "job 1").set("ovni.began", a_day_in_2024).starts(10, -1).ends(20);
    }
    StreamBuilder& ours(int rank, int pid, int tid) {
        return ours({.loom = "node1.a", .pid = pid, .tid = tid, .rank = rank, .nranks = 4});
    }
    // The lines of thread.row behind its head.
    std::string names(const std::vector<std::string>& options = {}) {
        accept(options);
        const std::string all = text("thread.row");
        return all.substr(all.find('\n', all.find("LEVEL THREAD")) + 1);
    }
    std::string header(const std::string& file) {
        accept();
        const std::string all = text(file);
        return all.substr(0, all.find('\n'));
    }
};

TEST_F(RowNamesTest, NamesHaveRankHostAndThread) {
    ours(3, 20, 20);
    ours(3, 20, 21).set("ovni.name", "helper");
    ours(1, 30, 30).set("ovni.host", "front.example.org");
    EXPECT_EQ(names(),
              "rank 1 front TH 1.30\n"
              "rank 3 node1 TH 1.20\n"
              "rank 3 node1 TH 1.21 thread helper\n");
    EXPECT_EQ(names({"--row-names", "ranks"}), names());
    EXPECT_EQ(names({"--row-names", "reference"}), "TH 1.30\nTH 1.20\nTH 1.21\n");
}

TEST_F(RowNamesTest, ProcessesWithoutRankHaveTheNamesOfThreads) {
    ours({.pid = 20, .tid = 20});
    ours({.pid = 20, .tid = 21}).set("ovni.name", "two\nlines");
    EXPECT_THAT(names(), StartsWith("TH 1.20\nTH 1.21 thread two"));
    EXPECT_EQ(std::ranges::count(names(), '\n'), 2);
    EXPECT_EQ(names({"--row-names", "reference"}), "TH 1.20\nTH 1.21\n");
}

TEST_F(RowNamesTest, StreamsOfOtherLibrariesHaveTheNamesOfTheReference) {
    trace()
        .thread({.pid = 20, .tid = 21, .rank = 0})
        .set("ovni.name", "helper")
        .set("ovni.began", a_day_in_2024)
        .starts(10)
        .ends(20);
    EXPECT_EQ(names(), "TH 1.21\n");
    EXPECT_EQ(names({"--row-names=reference"}), "TH 1.21\n");
    EXPECT_THAT(header("thread.prv"), StartsWith(date_of_reference));
}

TEST_F(RowNamesTest, EndWithTheStateOfTheStream) {
    ours(0, 20, 20)
        .set("ovni.end", {{"by", "running"}, {"code", 0}, {"clock", 20}})
        .set("ovni.name", "helper");
    ours(1, 21, 21).truncate(1);
    EXPECT_EQ(names({"--keep-going"}),
              "rank 0 node1 TH 1.20 thread helper (running)\nrank 1 node1 TH 1.21 (incomplete)\n");
    EXPECT_EQ(names({"--keep-going", "--row-names", "reference"}),
              "TH 1.20 (running)\nTH 1.21 (incomplete)\n");
}

TEST_F(RowNamesTest, AWrongChoiceOfNamesIsAWrongCommandLine) {
    ours(0, 20, 20);
    for (const char* wrong : {"Reference", "rank", "none"}) {
        const Finished done = emulate({"--row-names", wrong});
        EXPECT_EQ(done.status, 2);
        EXPECT_THAT(done.err,
                    HasSubstr("--row-names is ranks or reference, not '" + std::string(wrong) + "'"));
    }
    EXPECT_EQ(emulate({"--row-names="}).status, 2);
}

TEST_F(RowNamesTest, StandNextToTheDateOnWhichTheRunBegan) {
    ours(0, 20, 20).set("ovni.began", a_day_in_2024 + 86'400);
    ours(1, 21, 21);
    ours(2, 22, 22).unset("ovni.began");
    for (const char* file : {"thread.prv", "cpu.prv"}) {
        EXPECT_THAT(header(file), StartsWith("#Paraver (29/02/24 at 23:58):"));
        EXPECT_THAT(header(file), HasSubstr("_ns:0:1:1("));
    }
}

TEST_F(RowNamesTest, StandNextToTheDateOfTheReferenceIfThereIsNoOther) {
    ours(0, 20, 20).unset("ovni.began");
    EXPECT_THAT(header("thread.prv"), StartsWith(date_of_reference));
}

}  // namespace
}  // namespace ovni::test
