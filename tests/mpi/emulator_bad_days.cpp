// Days on which something went wrong around the trace: what both emulators say, their status and what they
// leave, without and with --keep-going.
#include "tests/mpi/emulator_test.hpp"
#include "tests/support/words.hpp"

namespace ovni::test {
namespace {

class BadDays : public DistributedTest {
 protected:
    static constexpr const char* old = "an older output";

    // Into output(name), where an older output lies.
    Finished emulate(int ranks, const fs::path& directory, const std::string& name, const Words& options,
                     const Words& before = {}) {
        fs::create_directories(output(name));
        write_file(output(name) / "thread.prv", old);
        return emulate_to(ranks, directory, options + Words{"-o", output(name).string()}, before);
    }
    static Finished emulate_to(int ranks, const fs::path& directory, const Words& options,
                               const Words& before = {}) {
        Words words = ranks == 0 ? Words{program("ovniemu")}
                                 : Words{"mpirun", "-n", std::to_string(ranks), program("ovniemu-mpi")};
        return run(before + words + options + Words{directory.string()}, mpi_environment);
    }
    void expect_older_output(const std::string& name) {
        EXPECT_EQ(read_file(output(name) / "thread.prv"), old);
        expect_clean(output(name));
    }
    void expect_new_output(const std::string& name) {
        EXPECT_THAT(read_file(output(name) / "thread.prv"), HasSubstr("#Paraver"));
        expect_clean(output(name));
    }
    static void expect_clean(const fs::path& directory) {
        for (const auto& entry : fs::recursive_directory_iterator(directory))
            EXPECT_THAT(entry.path().string(), Not(HasSubstr(".tmp")));
    }
    // The beginning of a command for which permissions count although it is root's; empty where they do
    // anyway.
    static std::optional<Words> without_privileges() {
        if (::geteuid() != 0) return Words{};
        Words words = {"setpriv", "--bounding-set", "-dac_override,-dac_read_search", "--inh-caps",
                       "-dac_override,-dac_read_search"};
        if (run(words + Words{"true"}).status != 0) return std::nullopt;
        return words;
    }
};

struct Day {
    const char* name;
    void (*make)(TraceBuilder&);
    int status;           // without --keep-going
    const char* message;  // then
    const char* listed;   // with it
};

const Identity node(const std::string& loom, int pid, int rank, const std::string& directory = {}) {
    return {.loom = loom, .pid = pid, .tid = pid, .rank = rank, .nranks = 4, .directory = directory};
}

const Day days[] = {
    {"ANodeIsMissing",
     [](TraceBuilder& trace) {
         trace.thread(node("a", 1, 0)).starts(10).ends(90);
         trace.thread(node("b", 1, 1)).starts(10).ends(90);
     },
     0, "2 of 4 ranks of application 1 have no stream, the first is rank 2 (started without ovnirun?",
     "missing: 2 of 4 ranks of application 1 have no stream, the first is rank 2\n"},
    {"TwoRunsAreMixed",
     [](TraceBuilder& trace) {
         for (int rank : {0, 1, 2})
             trace.thread(node("a", 1 + rank, rank)).set("ovni.run", "tuesday").starts(10, -1).ends(90);
         trace.thread(node("Older", 9, 3)).set("ovni.run", "monday").starts(10).ends(90);
     },
     1, "loom.Older/proc.9/thread.9 is of run monday, loom.a/proc.1/thread.1 of run tuesday",
     "loom.Older/proc.9/thread.9 is left out: the run is 'monday' here and 'tuesday' in most streams"},
    {"AStaleStreamSaysOtherwise",
     [](TraceBuilder& trace) {
         for (int rank : {0, 1, 2, 3})
             trace.thread(node("a", 1 + rank, rank))
                 .mark(7, "single", rank == 0 ? "old" : "new", {{1, "one"}})
                 .starts(10, -1)
                 .ends(90);
     },
     1, "mark type 7 has another title",
     "proc.1/thread.1 is left out: the title of mark type 7 is 'old' here and 'new' in most streams"},
    {"TwoHostsHaveOneNameAndPid",
     [](TraceBuilder& trace) {
         trace.thread(node("a", 1, 0, "one/t")).starts(10).ends(90);
         trace.thread(node("a", 1, 0, "two/t")).starts(10).ends(90);
     },
     1, "two/t/stream.json: thread 1 of process 1 has two streams in loom a (of two hosts with one name?)",
     "two/t is left out: "},
    {"TwoHostsHaveOneNameAndOtherCpus",
     [](TraceBuilder& trace) {
         trace.thread(node("a", 1, 0)).starts(10).ends(90);
         Identity other = node("a", 2, 1);
         other.cpus = {{1, 0}, {0, 1}};
         trace.thread(other).starts(10).ends(90);
     },
     1, "CPU 0 of loom a has index 1 here and 0 in another stream", "proc.2/thread.2 is left out: "},
    {"OneLoomIsOfTwoHosts",
     [](TraceBuilder& trace) {
         trace.thread(node("a", 1, 0)).set("ovni.host", "x").starts(10, -1).ends(90);
         trace.thread(node("a", 2, 1)).set("ovni.host", "y").starts(10, -1).ends(90);
     },
     0, "loom a was recorded on the hosts x and y: their CPUs are shown as those of one host",
     "recorded on the hosts"},
    {"OneRankIsThereTwice",
     [](TraceBuilder& trace) {
         trace.thread(node("a", 1, 0)).starts(10).ends(90);
         trace.thread(node("b", 1, 0)).starts(10).ends(90);
     },
     0, "rank 0 of application 1 is in loom a and in loom b (streams of two runs?)", "is in loom a and in"},
};

class BadDay : public BadDays, public testing::WithParamInterface<Day> {};

TEST_P(BadDay, BothEmulatorsReportIt) {
    GetParam().make(trace_);
    fs::path directory = trace_.write();
    for (int ranks : {0, 3}) {
        std::string strict = "strict" + std::to_string(ranks), kept = "kept" + std::to_string(ranks);
        Finished done = emulate(ranks, directory, strict, {});
        EXPECT_EQ(done.status, GetParam().status) << done.err;
        EXPECT_THAT(done.err, HasSubstr(GetParam().message));
        GetParam().status ? expect_older_output(strict) : expect_new_output(strict);
        done = emulate(ranks, directory, kept, {"--keep-going"});
        EXPECT_EQ(done.status, 0) << done.err;
        EXPECT_THAT(done.err, HasSubstr(GetParam().listed));
        expect_new_output(kept);
    }
    expect_same(output("kept0"), output("kept3"));
}

INSTANTIATE_TEST_SUITE_P(On, BadDay, testing::ValuesIn(days),
                         [](const auto& day) { return std::string(day.param.name); });

TEST_F(BadDays, TheFirstRunStaysIfNoneHasMoreStreams) {
    trace_.thread(node("a", 1, 0)).set("ovni.run", "b").starts(10).ends(90);
    trace_.thread(node("b", 1, 1)).set("ovni.run", "a").starts(10).ends(90);
    Finished done = emulate(0, trace_.write(), "out", {"--keep-going"});
    EXPECT_THAT(done.err,
                HasSubstr("loom.b/proc.1/thread.1 is left out: the run is 'a' here and 'b' in most"));
}

TEST_F(BadDays, AMissingNodeIsInTheReport) {
    days[0].make(trace_);
    Finished done =
        emulate(0, trace_.write(), "out", {"--keep-going", "--report", output("r.json").string()});
    EXPECT_EQ(done.status, 0) << done.err;
    Json damages = Json::parse(read_file(output("r.json")))["damages"];
    EXPECT_EQ(
        damages.dump(),
        R"([{"stream":null,"cause":"2 of 4 ranks of application 1 have no stream, the first is rank 2",)"
        R"("good_bytes":null}])");
}

// The process still has the metadata of its first thread.
TEST_F(BadDays, StreamsWithoutMetadataAreListed) {
    for (int tid : {1, 2, 3}) trace_.thread({.tid = tid}).starts(10, tid == 1 ? 0 : -1).ends(90);
    fs::path directory = trace_.write(), process = "loom.node0.a/proc.1";
    for (const char* thread : {"thread.2", "thread.3"})
        fs::remove(directory / process / thread / "stream.json");
    for (int ranks : {0, 3}) {
        Finished done = emulate(ranks, directory, "strict", {});
        EXPECT_EQ(done.status, 0) << done.err;
        EXPECT_THAT(done.err,
                    HasSubstr("2 streams have no stream.json next to stream.obs and are left out: " +
                              (process / "thread.2, ").string() + (process / "thread.3\n").string()));
        fs::path report = output("r" + std::to_string(ranks));
        done = emulate(ranks, directory, "kept" + std::to_string(ranks),
                       {"--keep-going", "--report", report.string()});
        EXPECT_EQ(done.status, 0) << done.err;
        EXPECT_THAT(done.err, HasSubstr("--keep-going: 2 streams are left out, 0 end too early"));
        Json damages = Json::parse(read_file(report))["damages"];
        ASSERT_EQ(damages.size(), 2u);
        for (size_t i : {0, 1}) {
            std::string path = process / ("thread." + std::to_string(2 + i));
            std::string cause = (directory / path / "stream.obs").string() + ": no stream.json next to it";
            EXPECT_EQ(damages[i]["stream"], path);
            EXPECT_EQ(damages[i]["cause"], cause);
            EXPECT_EQ(damages[i]["good_bytes"], nullptr);
            EXPECT_THAT(done.err, HasSubstr(path + " is left out: " + cause + "\n"));
        }
    }
    expect_same(output("kept0"), output("kept3"));
}

TEST_F(BadDays, ATraceWithoutMetadataIsAnError) {
    trace_.thread().starts(10).ends(90);
    fs::path directory = trace_.write();
    fs::remove(directory / "loom.node0.a/proc.1/thread.1/stream.json");
    for (int ranks : {0, 3}) {
        Finished done = emulate(ranks, directory, "strict", {});
        EXPECT_EQ(done.status, 1) << done.err;
        EXPECT_THAT(done.err, HasSubstr("no stream.json next to it, nor anywhere in the trace"));
        expect_older_output("strict");
        done = emulate(ranks, directory, "left", {"--keep-going"});
        EXPECT_EQ(done.status, 1) << done.err;
        EXPECT_THAT(done.err, HasSubstr("--keep-going: 1 streams are left out, 0 end too early"));
        EXPECT_THAT(done.err, HasSubstr(directory.string() + ": nothing of the trace is left to emulate"));
        expect_older_output("left");
        done = emulate(ranks, directory, "kept", {"--keep-going", "--empty-ok"});
        EXPECT_EQ(done.status, 0) << done.err;
        EXPECT_THAT(done.err, HasSubstr("--keep-going: 1 streams are left out, 0 end too early"));
        expect_new_output("kept");
    }
}

TEST_F(BadDays, AStreamThatCannotBeReadIsNamed) {
    std::optional<Words> before = without_privileges();
    if (!before) GTEST_SKIP() << "root may read everything here";
    for (const char* loom : {"a", "b", "c"}) trace_.thread({.loom = loom}).starts(10).ends(90);
    fs::path directory = trace_.write();
    fs::permissions(directory / "loom.a/proc.1/thread.1/stream.obs", fs::perms::none);
    fs::permissions(directory / "loom.b/proc.1/thread.1/stream.json", fs::perms::none);
    for (int ranks : {0, 3}) {
        Finished done = emulate(ranks, directory, "strict", {}, *before);
        EXPECT_EQ(done.status, 1) << done.err;
        EXPECT_THAT(done.err, HasSubstr("loom.a/proc.1/thread.1/stream.obs: "));
        EXPECT_THAT(done.err, HasSubstr("Permission denied"));
        expect_older_output("strict");
        done = emulate(ranks, directory, "kept" + std::to_string(ranks), {"--keep-going"}, *before);
        EXPECT_EQ(done.status, 0) << done.err;
        EXPECT_THAT(done.err, HasSubstr("loom.a/proc.1/thread.1 has no event that can be read: "));
        EXPECT_THAT(done.err, HasSubstr("loom.b/proc.1/thread.1 is left out: "));
    }
    expect_same(output("kept0"), output("kept3"));
}

TEST_F(BadDays, ATraceThatCannotBeWrittenToIsAnError) {
    std::optional<Words> before = without_privileges();
    if (!before) GTEST_SKIP() << "root may write everywhere here";
    trace_.thread().starts(10).ends(90);
    fs::path directory = trace_.write();
    fs::permissions(directory, fs::perms::owner_read | fs::perms::owner_exec);
    for (int ranks : {0, 3}) {
        for (const Words& options : {Words{}, Words{"--keep-going"}}) {
            Finished done = emulate_to(ranks, directory, options, *before);
            EXPECT_EQ(done.status, 1) << done.err;
            EXPECT_THAT(done.err,
                        HasSubstr(directory.string() + ": no outputs can be written here (-o says"));
            EXPECT_THAT(done.err, HasSubstr("Permission denied"));
        }
        Finished elsewhere = emulate(ranks, directory, "out", {}, *before);
        EXPECT_EQ(elsewhere.status, 0) << elsewhere.err;
        expect_new_output("out");
    }
    fs::permissions(directory, fs::perms::owner_all);
    EXPECT_EQ(std::distance(fs::directory_iterator(directory), fs::directory_iterator()), 1);
}

// The disk is a tmpfs of 1 MiB.
TEST_F(BadDays, AFullDiskLeavesTheOlderOutput) {
    fs::path disk = output("disk");
    fs::create_directories(disk);
    std::string mount = "mount -t tmpfs -o size=1m none " + disk.string();
    auto in_namespace = [](const std::string& command) {
        return run({"unshare", "--user", "--map-root-user", "--mount", "sh", "-c", command}, mpi_environment);
    };
    if (Finished probe = in_namespace(mount); probe.status != 0)
        GTEST_SKIP() << "no file system can be mounted here: " << probe.err;
    build(trace_, {.seed = 9, .events = 9000});
    fs::path directory = trace_.write();
    std::string script = mount + " && cd " + disk.string() + " && echo old >thread.prv\n";
    for (const std::string& emulator : {program("ovniemu"), "mpirun -n 3 " + program("ovniemu-mpi")})
        for (const char* option : {"", " --keep-going"})
            script +=
                emulator + option + " -o . " + directory.string() + "; echo $? $(ls) $(cat thread.prv)\n";
    Finished done = in_namespace(script);
    EXPECT_EQ(done.out,
              "1 cfg thread.prv old\n1 cfg thread.prv old\n1 cfg thread.prv old\n1 cfg thread.prv old\n")
        << done.err;
    EXPECT_THAT(done.err, HasSubstr("No space left on device"));
}

}  // namespace
}  // namespace ovni::test
