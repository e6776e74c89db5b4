// ovnicut: what streams that are left out have said of all, in stream.json of one that is left.
#include "base/file.hpp"
#include "tests/unit/cut_test.hpp"

namespace ovni::test {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

class CutMetadataTest : public CutTest {
 protected:
    fs::path cut_to(const fs::path& trace, const std::string& name, const Words& options) {
        Finished done = try_cut(trace, name, options);
        EXPECT_EQ(done.status, 0) << done.err;
        return directory() / name;
    }
    static Json metadata(const fs::path& trace, const std::string& stream) {
        return Json::parse(read_file(trace / stream / "stream.json"))["ovni"];
    }

    TraceBuilder builder_;
};

TEST_F(CutMetadataTest, RequirementsKeepTheirOrder) {
    const std::string stream = "loom.node0.a/proc.1/thread.1";
    builder_.thread({.tid = 1, .require = {{"ovni", "1.1.0"}, {"nosv", "2.0.0"}, {"mpi", "1.0.0"}}})
        .starts(100)
        .ends(1000);
    builder_.thread({.tid = 2, .require = {{"ovni", "1.1.0"}, {"mpi", "1.1.0"}, {"openmp", "1.1.0"}}})
        .starts(100)
        .ends(200);
    builder_.thread({.tid = 3, .require = {{"ovni", "1.1.0"}, {"kernel", "1.0.0"}}}).starts(100).ends(300);
    fs::path whole = builder_.write();
    fs::path part = cut_to(whole, "part", {"--from", "500ns"});
    EXPECT_EQ(metadata(part, stream)["require"].dump(),
              R"({"kernel":"1.0.0","openmp":"1.1.0","ovni":"1.1.0","nosv":"2.0.0","mpi":"1.1.0"})");
    expect_same(part, cut_to(cut_to(whole, "half", {"--from", "150ns"}), "rest", {"--from", "353ns"}));
    fs::path few = cut_to(whole, "few", {"--from", "500ns", "--models", "O,V"});
    EXPECT_EQ(metadata(few, stream)["require"].dump(), R"({"ovni":"1.1.0","nosv":"2.0.0"})");
    fs::path models = cut_to(whole, "models", {"--models", "O,V"});
    expect_same(few, cut_to(models, "both", {"--from", "500ns"}));
    expect_same(few, cut_to(part, "other", {"--models", "O,V"}));
}

TEST_F(CutMetadataTest, RanksThatAreLeftOutAreNotMissing) {
    for (int rank = 0; rank < 4; ++rank) {
        const std::string loom = "node" + std::to_string(rank);
        builder_.thread({.loom = loom, .pid = 1, .tid = 1, .rank = rank, .nranks = 4}).starts(100).ends(200);
    }
    const fs::path part = cut_to(builder_.write(), "part", {"--ranks", "1-2"});
    EXPECT_EQ(metadata(part, "loom.node1/proc.1/thread.1")["cut"].dump(), R"(["threads"])");
    const Finished done = emulate(part);
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(done.err, testing::Not(testing::HasSubstr("have no stream")));
    EXPECT_THAT(done.err, testing::HasSubstr("ovnicut has left threads out of this trace"));
}

TEST_F(CutMetadataTest, APartSaysThatItBeginsInside) {
    builder_.thread({.loom = "a", .pid = 1, .tid = 1}).starts(100).event("OB.", 600).ends(900);
    builder_.thread({.loom = "b", .pid = 2, .tid = 2}).starts(550).event("OB.", 600).ends(900);
    const fs::path whole = builder_.write(), part = cut_to(whole, "part", {"--from", "400ns"});
    const std::string first = "loom.a/proc.1/thread.1", second = "loom.b/proc.2/thread.2";
    EXPECT_EQ(metadata(part, first)["cut"].dump(), R"(["begin"])");
    EXPECT_FALSE(metadata(part, second).contains("cut"));
    EXPECT_FALSE(metadata(cut_to(whole, "end", {"--to", "600ns"}), first).contains("cut"));
    EXPECT_EQ(metadata(cut_to(part, "again", {"--to", "300ns"}), first)["cut"].dump(), R"(["begin"])");
}

TEST_F(CutMetadataTest, MarksAreEqualHoweverTheirNumbersAreWritten) {
    const Json labelled = {{"title", "T"}, {"chan_type", "stack"}, {"labels", {{"1", "a"}}}};
    Json other = labelled;
    other["labels"] = {{"01", "a"}, {"002", "b"}};
    builder_.thread({.pid = 1, .tid = 1, .rank = 0, .nranks = 2})
        .set("ovni.mark.7", labelled)
        .starts(100)
        .ends(200);
    builder_.thread({.loom = "node1.b", .pid = 2, .tid = 2, .rank = 1, .nranks = 2})
        .set("ovni.mark.07", other)
        .set("ovni.mark.08", other)
        .starts(100)
        .ends(200);
    fs::path whole = builder_.write();
    expect_accepted(whole);
    fs::path part = cut_to(whole, "part", {"--ranks", "0"});
    EXPECT_EQ(metadata(part, "loom.node0.a/proc.1/thread.1")["mark"].dump(),
              R"({"7":{"title":"T","chan_type":"stack","labels":{"1":"a","2":"b"}},)"
              R"("8":{"title":"T","chan_type":"stack","labels":{"1":"a","2":"b"}}})");
    expect_accepted(part);
}

}  // namespace

}  // namespace ovni::test
