// The parts that ovnicut keeps by its options, and its refusals.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "tests/support/random_trace.hpp"
#include "tests/support/started.hpp"
#include "tests/unit/cut_test.hpp"

namespace ovni::test {

namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class CutOptionsTest : public CutByOptions {
 protected:
    // Two ranks, one per loom; the first defines marks and CPUs for all.
    void two_ranks() {
        builder_
            .thread({.loom = "a.0",
                     .pid = 1,
                     .tid = 1,
                     .rank = 0,
                     .nranks = 2,
                     .cpus = {{0, 0}, {1, 1}},
                     .require = {{"ovni", "1.1.0"}, {"mpi", "1.0.0"}}})
            .mark(7, "single", "phase", {{3, "three"}})
            .starts(1000)
            .event("MS[", 1100)
            .event("MS]", 1200)
            .event("OM=", 1300, {i64(3), 7})
            .ends(2000);
        builder_
            .thread({.loom = "b.0",
                     .pid = 2,
                     .tid = 2,
                     .rank = 1,
                     .nranks = 2,
                     .require = {{"ovni", "1.1.0"}, {"mpi", "1.0.0"}}})
            .starts(1050)
            .event("OM=", 1400, {i64(3), 7})
            .event("MS[", 1500)
            .event("MS]", 1900)
            .ends(2000);
        builder_.clock_offsets({{"a", 0}, {"b", 0}});
        whole_ = builder_.write();
    }
    std::string dump(const fs::path& trace) { return run({program("ovnidump"), trace}).out; }
    static nlohmann::json metadata(const fs::path& trace, const std::string& stream) {
        return nlohmann::json::parse(read_file(trace / stream / "stream.json"));
    }
};

TEST_F(CutOptionsTest, ATimeRangeOpensAndClosesWhatIsOpen) {
    two_ranks();
    auto part = cut_to("part", {"--from", "0.55us", "--to", "600ns"});
    const std::string a = "loom.a.0/proc.1/thread.1", b = "loom.b.0/proc.2/thread.2";
    EXPECT_EQ(dump(part),
              "      1547  OHx  " + a + "  starts to run on CPU 0, created by thread -1, tag 0\n" +
                  "      1547  OHx  " + b + "  starts to run on CPU 0, created by thread -1, tag 0\n" +
                  "      1549  OM=  " + a + "  mark of type 7: set 3\n" + "      1549  OM=  " + b +
                  "  mark of type 7: set 3\n" + "      1549  MS[  " + b + "  begin: MPI_Send\n" +
                  "      1600  OHe  " + a + "  ends\n" + "      1600  MS]  " + b + "  end: MPI_Send\n" +
                  "      1600  OHe  " + b + "  ends\n");
    expect_accepted(part);
}

TEST_F(CutOptionsTest, ACutOfEverythingHasTheEventsOfTheWhole) {
    build(builder_, {.seed = 12, .looms = 2, .punctual = false, .models = every_model});
    whole_ = builder_.write();
    EXPECT_EQ(dump(cut_to("all", {})), dump(whole_));
    EXPECT_EQ(dump(cut_to("all2", {"--from", "0", "--to", "1000s"})), dump(whole_));
    EXPECT_EQ(dump(cut_to("all3", {"--models", "6,D,kernel,mpi,O,P,T,nosv"})), dump(whole_));
}

TEST_F(CutOptionsTest, RanksKeepWhatOthersHaveSaidForThem) {
    two_ranks();
    auto part = cut_to("part", {"--ranks", "1"});
    EXPECT_FALSE(fs::exists(part / "loom.a.0"));
    auto json = metadata(part, "loom.b.0/proc.2/thread.2");
    EXPECT_EQ(json["ovni"]["mark"]["7"]["title"], "phase");
    EXPECT_EQ(json["ovni"]["mark"]["7"]["labels"]["3"], "three");
    EXPECT_EQ(read_file(part / "clock-offsets.txt").find("a "), std::string::npos);
    expect_accepted(part);
    expect_same(part, cut_to("ranges", {"--ranks", "1-1"}));
    expect_same(part, cut_to("loom", {"--looms", "b.0"}));
    expect_same(whole_ = part, cut_to("again", {"--ranks", "1"}));
}

TEST_F(CutOptionsTest, ProcessAndLoomKeepTheirRankAndCpus) {
    builder_.thread({.pid = 1, .tid = 1, .rank = 0, .cpus = {{1, 5}, {0, 9}}}).starts(100).ends(200);
    builder_.thread({.pid = 1, .tid = 2, .cpus = {}}).starts(150, 1).ends(900);
    builder_.thread({.pid = 1, .tid = 3, .cpus = {}}).starts(160).ends(180);
    whole_ = builder_.write();
    auto part = cut_to("part", {"--from", "200ns"});
    EXPECT_FALSE(fs::exists(part / "loom.node0.a/proc.1/thread.1"));
    auto json = metadata(part, "loom.node0.a/proc.1/thread.2")["ovni"];
    EXPECT_EQ(json["rank"], 0);
    EXPECT_EQ(json["nranks"], 1);
    EXPECT_EQ(json["loom_cpus"].dump(), R"([{"index":0,"phyid":9},{"index":1,"phyid":5}])");
    expect_accepted(part);
}

TEST_F(CutOptionsTest, ModelsLeaveOutEventsAndRequirements) {
    build(builder_, {.seed = 13, .looms = 2, .punctual = false, .models = every_model});
    whole_ = builder_.write();
    std::string events = dump(cut_to("part", {"--models", "V,openmp"}));
    std::istringstream lines(events);
    for (std::string line; std::getline(lines, line);) {
        std::string code = line.substr(line.find_first_not_of(' '));
        code = code.substr(code.find("  ") + 2, 3);
        bool is_life = code[0] == 'O' && (code[1] == 'H' || code[1] == 'A');
        EXPECT_TRUE(is_life || code[0] == 'V' || code[0] == 'P') << line;
    }
    for (const auto& [name, text] : files_of(directory() / "part")) {
        if (!name.ends_with("stream.json")) continue;
        auto ovni = nlohmann::json::parse(text)["ovni"];
        for (const auto& [model, version] : ovni["require"].items())
            EXPECT_TRUE(model == "ovni" || model == "nosv" || model == "openmp") << model;
        EXPECT_FALSE(ovni.contains("mark"));
    }
    expect_accepted(directory() / "part");
    expect_accepted(cut_to("both", {"--models", "O,6", "--from", "1us", "--to", "20ms"}));
}

// Threads show what they show in the whole. Only where they are may differ while they are paused.
TEST_F(CutOptionsTest, RandomRanksAreThoseOfTheWhole) {
    constexpr int cpu_of_thread = 6;
    build(builder_,
          {.seed = 14, .processes = 3, .punctual = false, .models = every_model, .equal_tids = true});
    whole_ = builder_.write();
    expect_accepted(whole_);
    States all = states_of(whole_, "thread.prv");
    for (const char* ranks : {"0", "1-3", "2,5", "4-11"}) {
        std::string name = fmt::format("ranks {}", ranks);
        auto part = cut_to(name, {"--ranks", ranks});
        expect_accepted(part);
        int64_t shift = first_clock(part) - first_clock(whole_);
        for (const auto& [row, values] : states_of(part, "thread.prv")) {
            std::map<int64_t, int64_t> shifted;
            for (auto [time, value] : values) shifted[time + shift] = value;
            if (row.second == cpu_of_thread) continue;
            EXPECT_EQ(shifted, all[row]) << row.first << " " << row.second;
        }
        expect_accepted(cut_to(name + " later", {"--ranks", ranks, "--from", "10ms", "--to", "20ms"}));
    }
}

TEST_F(CutOptionsTest, AThreadThatIsMovedWhileItIsOutOfItsCpuMovesWhenItIsBack) {
    const std::vector<std::pair<std::string, std::string>> kernel = {{"ovni", "1.1.0"}, {"kernel", "1.0.0"}};
    builder_.thread({.pid = 1, .tid = 1, .rank = 0, .nranks = 2, .cpus = {{0, 0}, {1, 1}}, .require = kernel})
        .starts(1000, 0)
        .event("KCO", 1100)
        .event("KCI", 1300)
        .event("OHc", 1400)
        .ends(2000);
    builder_.thread({.pid = 2, .tid = 2, .rank = 1, .nranks = 2, .require = kernel})
        .starts(1050, -1)
        .event("OAr", 1200, {1, 1})
        .ends(1900);
    whole_ = builder_.write();
    expect_accepted(whole_);
    auto part = cut_to("part", {"--ranks", "0"});
    expect_accepted(part);
    EXPECT_THAT(dump(part), HasSubstr("OAs"));
}

TEST_F(CutOptionsTest, ChecksumsAndGapsStayWithTheirEvents) {
    builder_.thread()
        .starts(1000)
        .event("OB.", 1100)
        .gap(1200, 1300, 5)
        .event("OB.", 1400)
        .gap(1500, 1700)
        .event("OB.", 1800)
        .ends(2000)
        .checksums(40);
    whole_ = builder_.write();
    auto part = cut_to("part", {"--from", "350ns", "--to", "600ns"});
    const std::string stream = "loom.node0.a/proc.1/thread.1/";
    EXPECT_EQ(read_file(part / stream / "stream.gaps.json"),
              R"({"gaps":[{"offset":36,"from":1349,"to":1349,"lost":0,"reason":"paused"},)"
              R"({"offset":48,"from":1500,"lost":0,"reason":"paused"}]})");
    EXPECT_TRUE(fs::exists(part / stream / "stream.crc"));
    expect_accepted(part);
    std::string damaged = read_file(part / stream / "stream.obs");
    damaged[20] ^= 1;
    auto time = fs::last_write_time(part / stream / "stream.crc");
    write_file(part / stream / "stream.obs", damaged);
    fs::last_write_time(part / stream / "stream.obs", time);
    expect_error(emulate(part), "they were damaged after they were recorded");
}

TEST_F(CutOptionsTest, AnEndByForceStaysOnlyWhereItIsInside) {
    builder_.thread()
        .set("ovni.end", Json{{"by", "signal"}, {"code", 9}, {"clock", 1500}})
        .starts(1000)
        .event("OB.", 1500);
    whole_ = builder_.write();
    const std::string stream = "loom.node0.a/proc.1/thread.1";
    EXPECT_TRUE(metadata(cut_to("end", {"--from", "100ns"}), stream)["ovni"].contains("end"));
    auto before = cut_to("before", {"--to", "400ns"});
    EXPECT_FALSE(metadata(before, stream)["ovni"].contains("end"));
    expect_accepted(before);
}

TEST_F(CutOptionsTest, TasksThatAreUsedLaterAreMadeAgain) {
    builder_.thread({.require = {{"ovni", "1.1.0"}, {"nanos6", "1.1.0"}}})
        .starts(1000)
        .jumbo("6Yc", 1001, {u32(1), "hello"})
        .event("6Tc", 1002, {u32(1), u32(1)})
        .event("6Tc", 1003, {u32(2), u32(1)})
        .event("6Tc", 1004, {u32(3), u32(1)})
        .event("6Tx", 1005, {u32(1)})
        .event("6Tp", 1006, {u32(1)})
        .event("6Bb", 1400)
        .event("6Tx", 1500, {u32(2)})
        .event("6Te", 1600, {u32(2)})
        .event("6BB", 1650)
        .event("6Tr", 1700, {u32(1)})
        .event("6Te", 1800, {u32(1)})
        .ends(2000);
    whole_ = builder_.write();
    auto part = cut_to("part", {"--from", "450ns", "--to", "550ns"});
    std::string events = dump(part), codes;
    std::istringstream words(events);
    for (std::string line; std::getline(words, line);) codes += line.substr(12, 4);
    EXPECT_EQ(codes, "OHx 6Yc 6Tc 6Tc 6Tx 6Tp 6Bb 6Tx 6Te 6BB 6Tr 6Te OHe ");
    expect_accepted(part);
}

TEST_F(CutOptionsTest, HelpSaysHowATimeIsWritten) {
    Finished done = run({program("ovnicut"), "--help"});
    EXPECT_EQ(done.status, 0);
    EXPECT_THAT(done.out, HasSubstr("1.5s 300ms 20us 123456ns"));
    EXPECT_EQ(done.err, "");
}

TEST_F(CutOptionsTest, WrongCommandLinesAreRefused) {
    two_ranks();
    for (const char* time : {"5", "s", "1.s", ".5s", "-1s", "1.5ns", "1e3s", "1 s", "1.2.3s", "1h",
                             "9223372036855s", "0.0000000001s"})
        expect_usage_error({"--from", time}, std::string(time));
    expect_usage_error({"--from", "2s", "--to", "1s"}, "--to must be later");
    expect_usage_error({"--to", "0"}, "--to must be later");
    for (const char* ranks : {"1,", ",1", "x", "3-1", "-1", "1-", "1--2", "99999999999"})
        expect_usage_error({fmt::format("--ranks={}", ranks)}, "--ranks");
    expect_usage_error({"--models", "M,nothing"}, "'nothing'");
    expect_usage_error({"--looms", "a.0,"}, "an empty item");
    expect_usage_error({"--bad"}, "--bad");
    expect_usage_error({"another"}, "one trace directory only");
    Finished without = run({program("ovnicut"), whole_});
    EXPECT_EQ(without.status, 2);
    EXPECT_THAT(without.err, HasSubstr("missing -o"));
    Finished inside = run({program("ovnicut"), whole_, "-o", whole_ / "x"});
    EXPECT_EQ(inside.status, 2);
    EXPECT_THAT(inside.err, HasSubstr("is inside of"));
}

TEST_F(CutOptionsTest, AnOutputInsideOfTheTraceIsRefusedByAnyName) {
    two_ranks();
    fs::create_directory_symlink(whole_, directory() / "link");
    const std::string trace = whole_.string();
    auto before = files_of(whole_);
    const std::vector<std::pair<fs::path, std::vector<std::string>>> inside = {
        {whole_, {trace, "-o", "part"}},
        {whole_, {".", "-o", "part"}},
        {whole_, {trace, "-o", "new/../part"}},
        {whole_, {trace, "-o", "."}},
        {whole_ / "loom.a.0", {trace, "-o", "part"}},
        {directory(), {trace, "-o", "link/part"}},
        {directory(), {"link", "-o", trace + "/new/part"}}};
    for (const auto& [here, words] : inside) {
        std::string command = "cd '" + here.string() + "' && exec '" + program("ovnicut") + "'";
        for (const std::string& word : words) command += " '" + word + "'";
        Finished done = run({"sh", "-c", command});
        EXPECT_EQ(done.status, 2) << command << done.err;
        EXPECT_THAT(done.err, HasSubstr("is inside of"));
    }
    EXPECT_EQ(files_of(whole_), before);
}

TEST_F(CutOptionsTest, TheOutputIsJudgedBeforeAnyWork) {
    builder_.thread().starts(1000).event("OB.", 1100).ends(2000).truncate(3);
    whole_ = builder_.write();
    fs::create_directory(directory() / "empty");
    auto in_empty = [&](const std::string& output) {
        return run({"sh", "-c", "cd \"$0\" && exec \"$1\" \"$2\" -o " + output, directory() / "empty",
                    program("ovnicut"), whole_});
    };
    for (const char* here : {".", "./", "../empty"}) {
        Finished done = in_empty(here);
        EXPECT_EQ(done.status, 2);
        EXPECT_THAT(done.err, HasSubstr("is the current directory"));
    }
    write_file(directory() / "file", "x");
    expect_error(in_empty("../file"), "is there already");
}

TEST_F(CutOptionsTest, TheWayToTheOutputIsNotMade) {
    two_ranks();
    cut_to("new/../part", {});
    expect_accepted(directory() / "part");
    EXPECT_FALSE(fs::exists(directory() / "new"));
}

TEST_F(CutOptionsTest, RangesOfRanksMayBeLarge) {
    two_ranks();
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    const std::string limit;  // they need far more
#else
    const std::string limit = "ulimit -v 300000; ";
#endif
    Finished done = run({"sh", "-c", limit + "exec \"$0\" \"$1\" -o \"$2\" --ranks 1,0-16777214,1-3",
                         program("ovnicut"), whole_, directory() / "refused"});
    expect_error(done, "there is no rank 2");
    cut_to("both", {"--ranks", "0-1,1,0"});
    EXPECT_EQ(files_of(directory() / "both"), files_of(cut_to("all", {})));
}

TEST_F(CutOptionsTest, WhatIsNotInTheTraceIsAnError) {
    two_ranks();
    expect_error(try_cut(whole_, "refused", {"--ranks", "0,5"}), "there is no rank 5");
    expect_error(try_cut(whole_, "refused", {"--looms", "b"}), "there is no loom 'b'");
    expect_error(try_cut(whole_, "refused", {"--from", "5s"}), "nothing of the trace is in that part");
    expect_error(try_cut(directory() / "none", "refused"), "none");
    expect_nothing("refused");
}

TEST_F(CutOptionsTest, WhatIsThereAlreadyStays) {
    two_ranks();
    fs::create_directory(directory() / "empty");
    cut_to("empty/", {});
    expect_accepted(directory() / "empty");
    auto before = files_of(directory() / "empty");
    expect_error(try_cut(whole_, "empty", {"--ranks", "1"}), "is there already");
    EXPECT_EQ(files_of(directory() / "empty"), before);
    write_file(directory() / "file", "x");
    expect_error(try_cut(whole_, "file"), "is there already");
    EXPECT_EQ(read_file(directory() / "file"), "x");
}

TEST_F(CutOptionsTest, DamageIsNamedAndLeavesNothing) {
    builder_.thread().starts(1000).event("OB.", 1100).ends(2000).truncate(3);
    whole_ = builder_.write();
    expect_error(try_cut(whole_, "refused"), "stream.obs:48: incomplete event");
    builder_.thread({.tid = 2}).starts(1000).event("OB.", 900).ends(2000);
    whole_ = builder_.write();
    expect_error(try_cut(whole_, "refused"), "thread.2/stream.obs:36: the clock goes back");
    builder_.thread({.tid = 3}).json_text("{");
    whole_ = builder_.write();
    expect_error(try_cut(whole_, "refused"), "thread.3/stream.json");
    expect_nothing("refused");
}

TEST_F(CutOptionsTest, UnsortedRegionsAreSortedIfAsked) {
    builder_.thread()
        .starts(1000)
        .event("OB.", 1300)
        .event("OU[", 1400)
        .event("OB.", 1200)
        .event("OU]", 1500)
        .ends(2000);
    whole_ = builder_.write();
    expect_error(try_cut(whole_, "refused"), "the clock goes back");
    auto part = cut_to("part", {"--sort", "--from", "150ns", "--to", "600ns"});
    EXPECT_EQ(run({program("ovnisort"), "-c", part}).status, 0);
    expect_accepted(part);
}

TEST_F(CutOptionsTest, AFullOutputLeavesNothing) {
    build(builder_, {.seed = 15, .models = every_model});
    whole_ = builder_.write();
    Finished done = run({"sh", "-c", "ulimit -f 4; exec \"$0\" \"$@\"", program("ovnicut"), whole_, "-o",
                         directory() / "refused"});
    expect_error(done, "cannot write: File too large");
    expect_nothing("refused");
}

TEST_F(CutOptionsTest, ASignalLeavesNothing) {
    two_ranks();
    Started cutting({program("ovnicut"), whole_, "-o", directory() / "refused"}, [] {
        sigset_t term;
        sigemptyset(&term);
        sigaddset(&term, SIGTERM);
        sigprocmask(SIG_BLOCK, &term, nullptr);
        ::kill(::getpid(), SIGTERM);
    });
    int status = cutting.wait();
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << status;
    expect_nothing("refused");
}

TEST_F(CutOptionsTest, AnOutputThatCannotBeMadeLeavesNothing) {
    two_ranks();
    Finished done = run({program("ovnicut"), whole_, "-o", "/proc/refused"});
    expect_error(done, "/proc/refused");
}

TEST_F(CutOptionsTest, TheTraceNeedsNoPermissionToWrite) {
    two_ranks();
    auto before = files_of(whole_);
    ASSERT_EQ(run({"chmod", "-R", "a-w", whole_}).status, 0);
    expect_accepted(cut_to("part", {"--from", "100ns"}));
    ASSERT_EQ(run({"chmod", "-R", "u+w", whole_}).status, 0);
    EXPECT_EQ(files_of(whole_), before);
}

// The part ends amid the block that was damaged.
TEST_F(CutOptionsTest, DamageIsSeenThoughItsBlockEndsBehindThePart) {
    StreamBuilder& stream = builder_.thread({.tid = 1}).starts(1000);
    for (int i = 0; i < 20; ++i) stream.event("OB.", 1010 + 10 * i);
    stream.ends(2000).checksums(1 << 10).flip(28, 1);
    const Finished done = try_cut(builder_.write(), "part", {"--from", "50ns", "--to", "100ns"});
    expect_error(done, "they were damaged after they were recorded");
}

}  // namespace

}  // namespace ovni::test
