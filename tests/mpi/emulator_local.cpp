// Directories that ranks do not share: --local, and outputs that only rank 0 sees.
#include "tests/mpi/emulator_test.hpp"

namespace ovni::test {
namespace {

class LocalTest : public DistributedTest {
 protected:
    static constexpr int ranks = 3;

    void SetUp() override {
        build(trace_, {.seed = 41, .looms = 5, .hosts = 3, .clock_offsets = true});
        whole_ = trace_.write();
        // The clocks stay with rank 0, as where ovnisync has written them.
        parts_ = output("parts");
        int number = 0;
        std::vector<fs::path> entries{fs::directory_iterator(whole_), {}};
        std::ranges::sort(entries);
        for (const fs::path& entry : entries) {
            bool is_loom = entry.filename().string().starts_with("loom.");
            fs::path part = parts_ / std::to_string(is_loom ? number++ % ranks : 0);
            fs::create_directories(part);
            fs::copy(entry, part / entry.filename(), fs::copy_options::recursive);
        }
    }
    Finished local(const std::string& pattern, const fs::path& out, std::vector<std::string> options = {}) {
        options.insert(options.begin(), {"mpirun", "-n", std::to_string(ranks), program("ovniemu-mpi"),
                                         "--local", pattern, "-o", out.string()});
        return run(options, mpi_environment);
    }
    std::string pattern() const { return parts_ / "%r"; }
    static std::string host_here() {
        const std::string host = run({"hostname"}).out;
        return host.substr(0, host.find_first_of(".\n"));
    }
    fs::path loom_in(int part) const { return fs::directory_iterator(parts_ / std::to_string(part))->path(); }

    fs::path whole_, parts_;
};

TEST_F(LocalTest, EveryRankReadsItsOwnDirectory) {
    Finished expected = serial(whole_, output("serial"), {"-b", "--hdf5", output("serial.h5")});
    ASSERT_EQ(expected.status, 0) << expected.err;
    Finished done = local(pattern(), output("local"),
                          {"-b", "--sort", "--hdf5", output("local.h5"), "--report", output("local.json")});
    ASSERT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(line_of_ties(done.err).substr(0, 5), line_of_ties(expected.err).substr(0, 5));
    expect_same(output("serial"), output("local"));
    EXPECT_EQ(fs::file_size(output("local.h5")), fs::file_size(output("serial.h5")));
    EXPECT_EQ(Json::parse(read_file(output("local.json")))["trace"]["directory"], pattern());
}

TEST_F(LocalTest, StreamsThatOneRankDoesNotSeeHaveNoExactOrder) {
    const Finished refused = local(pattern(), output("local"), {"--exact-order"});
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err,
                HasSubstr("--exact-order is the work of one rank, which has to see all of the trace"));
    EXPECT_FALSE(fs::exists(output("local") / "thread.prv"));
}

TEST_F(LocalTest, ADirectoryThatAllRanksSeeIsReadOnce) {
    ASSERT_EQ(serial(whole_, output("serial")).status, 0);
    fs::create_directories(output("hosts"));
    fs::create_directory_symlink(whole_, output("hosts") / (host_here() + "%"));
    Finished done = local(output("hosts") / "%h%%", output("local"));
    ASSERT_EQ(done.status, 0) << done.err;
    expect_same(output("serial"), output("local"));
    done = local(whole_, output("same"));
    ASSERT_EQ(done.status, 0) << done.err;
    expect_same(output("serial"), output("same"));
}

TEST_F(LocalTest, RanksThatNobodyReadsAreAnError) {
    fs::remove_all(parts_ / "2");
    Finished strict = local(pattern(), output("strict"));
    EXPECT_EQ(strict.status, 1);
    EXPECT_THAT(strict.err, HasSubstr("/2: is missing on 1 of 3 nodes, the first is "));
    EXPECT_THAT(strict.err,
                HasSubstr("%r: 2 of the 10 ranks of application 1 are in no directory that this"));
    EXPECT_FALSE(fs::exists(output("strict")));
    Finished kept = local(pattern(), output("kept"), {"--keep-going"});
    EXPECT_EQ(kept.status, 0) << kept.err;
    EXPECT_THAT(kept.err, HasSubstr("2 of 10 ranks of application 1 have no stream"));
    EXPECT_TRUE(fs::exists(output("kept") / "thread.prv"));
    Finished none = local(output("nowhere") / "%r", output("none"));
    EXPECT_EQ(none.status, 1);
    EXPECT_THAT(none.err, HasSubstr("nowhere/0: is missing on 3 of 3 nodes"));
}

TEST_F(LocalTest, DamageIsNamedAsItsNodeSeesIt) {
    fs::path victim;
    for (const auto& entry : fs::recursive_directory_iterator(parts_ / "1"))
        if (entry.path().filename() == "stream.obs") victim = entry.path();
    fs::resize_file(victim, fs::file_size(victim) - 1);
    Finished strict = local(pattern(), output("strict"));
    EXPECT_EQ(strict.status, 1);
    EXPECT_THAT(strict.err, HasSubstr(victim.string()));
    EXPECT_FALSE(fs::exists(output("strict") / "thread.prv"));
    Finished kept = local(pattern(), output("kept"), {"--keep-going"});
    EXPECT_EQ(kept.status, 0) << kept.err;
    EXPECT_THAT(kept.err, HasSubstr(" ends at byte "));
    fs::remove(victim.parent_path() / "stream.json");
    kept = local(pattern(), output("kept"), {"--keep-going"});
    EXPECT_THAT(kept.err, HasSubstr(" is left out: " + victim.string() + ": no stream.json next to it\n"));
}

TEST_F(LocalTest, DamageThatSeveralRanksSeeIsToldOnce) {
    const std::string host = host_here();
    TraceBuilder here;
    for (int tid : {1, 2, 3}) here.thread({.loom = host, .tid = tid}).starts(10, -1).ends(20);
    const fs::path directory = here.write(), process = directory / ("loom." + host) / "proc.1";
    write_file(process / "thread.1/stream.json", "{");
    fs::resize_file(process / "thread.2/stream.obs", fs::file_size(process / "thread.2/stream.obs") - 1);
    fs::create_directories(output("seen"));
    for (int rank = 0; rank < ranks; ++rank)
        fs::create_directory_symlink(directory, output("seen") / std::to_string(rank));
    ASSERT_EQ(serial(directory, output("serial"), {"--keep-going"}).status, 0);
    Finished kept = local(output("seen") / "%r", output("kept"), {"--keep-going"});
    ASSERT_EQ(kept.status, 0) << kept.err;
    EXPECT_THAT(kept.err, HasSubstr("1 streams are left out, 1 end too early"));
    expect_same(output("serial"), output("kept"));
}

TEST_F(LocalTest, TwoStreamsOfOnePathAreAnError) {
    fs::path loom = loom_in(1);
    fs::path copy = parts_ / "2" / loom.filename();
    fs::copy(loom, copy, fs::copy_options::recursive);
    Finished twice = local(pattern(), output("twice"));
    EXPECT_EQ(twice.status, 1);
    EXPECT_THAT(twice.err, HasSubstr("2 nodes see it, but none of them is its own, "));
    for (const auto& entry : fs::recursive_directory_iterator(copy)) {
        if (entry.path().filename() != "stream.json") continue;
        std::string text = read_file(entry.path());
        text.replace(text.find("1.14.0"), 6, "1.14.1");
        write_file(entry.path(), text);
    }
    Finished other = local(pattern(), output("other"));
    EXPECT_EQ(other.status, 1);
    EXPECT_THAT(other.err, HasSubstr(copy.string()));
    EXPECT_THAT(other.err, HasSubstr("another stream of that name is on the node "));
    Finished kept = local(pattern(), output("kept"), {"--keep-going"});
    EXPECT_EQ(kept.status, 0) << kept.err;
    EXPECT_THAT(kept.err, HasSubstr("is left out: " + copy.string()));
}

TEST_F(LocalTest, MistakesOnTheCommandLineAreRefused) {
    auto refused = [&](const std::vector<std::string>& words, const std::string& cause) {
        std::vector<std::string> all = {"mpirun", "-n", "2", program("ovniemu-mpi")};
        all.insert(all.end(), words.begin(), words.end());
        Finished done = run(all, mpi_environment);
        EXPECT_EQ(done.status, 2) << done.err;
        EXPECT_THAT(done.err, HasSubstr(cause));
    };
    refused({"--local", pattern()}, "--local needs -o");
    refused({"--local", pattern(), "-o", output("x"), whole_}, "one directory too many: ");
    refused({"--local", parts_ / "%z", "-o", output("x")}, "there is nothing else with a percent sign");
    EXPECT_EQ(run({program("ovniemu"), "--local", pattern(), "-o", output("x")}).status, 2);
}

// Ranks with working directories of their own see different directories by one relative name, as on nodes
// that share none.
class UnsharedTest : public LocalTest {
 protected:
    Finished on_nodes(const std::string& trace, const std::string& out) {
        std::vector<std::string> words = {"mpirun"};
        for (const char* node : {"here", "there", "elsewhere"}) {
            fs::create_directories(output(node));
            for (const std::string& word :
                 {std::string("-n"), std::string("1"), std::string("-wdir"), output(node).string(),
                  program("ovniemu-mpi"), std::string("-o"), out, trace})
                words.push_back(word);
            words.emplace_back(":");
        }
        words.pop_back();
        return run(words, {"OVNI_TEST_WINDOW=200", "OVNI_TEST_WRITER=thread", "OMPI_ALLOW_RUN_AS_ROOT=1",
                           "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_rmaps_base_oversubscribe=1",
                           "OMPI_MCA_mpi_yield_when_idle=1"});
    }
};

TEST_F(UnsharedTest, ATraceThatIsNotSharedIsAnError) {
    fs::create_directories(output("here"));
    fs::copy(whole_, output("here/trace"), fs::copy_options::recursive);
    Finished done = on_nodes("trace", output("out"));
    EXPECT_EQ(done.status, 1);
    EXPECT_THAT(done.err, HasSubstr("is the directory shared by all nodes?"));
    EXPECT_THAT(done.err, HasSubstr("trace/loom"));
}

TEST_F(UnsharedTest, Rank0WritesWhatOthersDoNotSee) {
    ASSERT_EQ(serial(whole_, output("serial")).status, 0);
    Finished done = on_nodes(whole_, "out");
    ASSERT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(
        done.err,
        HasSubstr("out: not all ranks see it or can open files in it, rank 0 writes for all, on the node "));
    expect_same(output("serial"), output("here/out"));
    EXPECT_TRUE(fs::is_empty(output("there")));
}

}  // namespace
}  // namespace ovni::test
