// A focus means for the emulator and ovnitop what it means for ovnicut: they show of a part what they show of
// its cut.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "tests/support/random_regions.hpp"
#include "tests/support/random_trace.hpp"
#include "tests/support/started.hpp"
#include "tests/unit/cut_test.hpp"

namespace ovni::test {

namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;
using Words = std::vector<std::string>;

class FocusInProgramsTest : public CutByOptions {
 protected:
    Finished shown(const std::string& name, Words options, const fs::path& trace) {
        options.insert(options.begin(), {program("ovniemu"), "-o", directory() / name, "--report",
                                         directory() / (name + ".json")});
        options.push_back(trace);
        return run(options);
    }
    // The report, without which part it is of, as if `trace` lay where the whole is.
    nlohmann::json report(const std::string& name, const std::string& trace) {
        std::string text = read_file(directory() / (name + ".json"));
        for (size_t at = 0; (at = text.find(trace, at)) != text.npos;)
            text.replace(at, trace.size(), whole_.string());
        nlohmann::json json = nlohmann::json::parse(text);
        json.erase("part");
        return json;
    }
    void expect_shown_as_cut(const Words& focus, const Words& further = {}) {
        SCOPED_TRACE(fmt::format("{} {}", fmt::join(focus, " "), fmt::join(further, " ")));
        const std::string number = std::to_string(++count_);
        const fs::path part = cut_to("cut" + number, focus);
        Words options = focus;
        options.insert(options.end(), further.begin(), further.end());
        const Finished own = shown("own" + number, options, whole_),
                       of_cut = shown("of_cut" + number, further, part);
        ASSERT_EQ(own.status, of_cut.status) << own.err;
        for (const auto& entry : fs::directory_iterator(directory() / ("of_cut" + number))) {
            if (!entry.is_regular_file()) continue;
            EXPECT_EQ(read_file(entry.path()),
                      read_file(directory() / ("own" + number) / entry.path().filename()))
                << entry.path();
        }
        EXPECT_EQ(report("own" + number, part), report("of_cut" + number, part));
        expect_nothing("own" + number + ".part");
        expect_counted_as_cut(focus, part);
    }
    void expect_counted_as_cut(const Words& focus, const fs::path& part) {
        for (const Words& mode : std::vector<Words>{{},
                                                    {"--mpi"},
                                                    {"--mpi", "--callsites"},
                                                    {"--counters"},
                                                    {"--locks"},
                                                    {"--messages"},
                                                    {"--matrix"}}) {
            SCOPED_TRACE(fmt::format("ovnitop {}", fmt::join(mode, " ")));
            Finished own = counted(mode, focus, whole_), of_cut = counted(mode, {}, part);
            EXPECT_EQ(own.status, of_cut.status) << own.err;
            EXPECT_EQ(own.out, of_cut.out);
        }
        for (const char* mode : {"--waits", "--pop", "--waiting"}) {
            const Finished refused = counted({mode}, focus, whole_);
            EXPECT_EQ(refused.status, 2) << mode;
            EXPECT_THAT(refused.err, testing::HasSubstr("needs the whole trace")) << mode;
        }
        EXPECT_TRUE(fs::is_empty(temporary()));
    }
    Finished counted(Words words, const Words& focus, const fs::path& trace) {
        words.insert(words.begin(), program("ovnitop"));
        words.insert(words.end(), focus.begin(), focus.end());
        words.push_back(trace);
        return run(words, {"TMPDIR=" + temporary().string()});
    }
    fs::path temporary() const {
        fs::create_directories(directory() / "tmp");
        return directory() / "tmp";
    }

 private:
    int count_ = 0;
};

TEST_F(FocusInProgramsTest, RegionsAreShownAsTheyAreCut) {
    const std::vector<Words> by_seed[] = {{{"--region", "solve"},
                                           {"--region", "halo#2", "--ranks", "0-2"},
                                           {"--without", "Init,Finalize"},
                                           {"--ranks", "2-3"}},
                                          {{"--region", "solve#3"},
                                           {"--region", "output", "--ranks", "1,3"},
                                           {"--from", "100ns", "--to", "400ns"}}};
    for (uint32_t seed : {0U, 1U}) {
        build_regions(builder_, 1 + seed, 4);
        whole_ = builder_.write();
        for (const Words& focus : by_seed[seed]) expect_shown_as_cut(focus);
    }
}

TEST_F(FocusInProgramsTest, RandomTracesAreShownAsTheyAreCut) {
    build(builder_, {.seed = 41, .punctual = false, .models = every_model});
    whole_ = builder_.write();
    const int64_t length = CutTest::length(whole_);
    const Words middle = {"--from", fmt::format("{}ns", length / 3), "--to", fmt::format("{}ns", length / 2)};
    expect_shown_as_cut(middle, {"-b"});
    expect_shown_as_cut({"--to", fmt::format("{}ns", length / 4), "--ranks", "1-4"});
    expect_shown_as_cut(middle, {"--keep-going", "--exact-order"});
}

TEST_F(FocusInProgramsTest, ClocksOfThePartAreThoseOfTheWhole) {
    build(builder_, {.seed = 42, .models = every_model, .hosts = 2, .clock_offsets = true});
    whole_ = builder_.write();
    const int64_t length = CutTest::length(whole_);
    expect_shown_as_cut({"--from", fmt::format("{}ns", length / 5), "--ranks", "0-5"});
}

TEST_F(FocusInProgramsTest, AReportSaysWhichPartItIsOf) {
    build_regions(builder_, 3, 4);
    whole_ = builder_.write();
    Finished done = shown("part", {"--from", "100ns", "--ranks", "1-2"}, whole_);
    EXPECT_THAT(done.err, HasSubstr("a part of " + whole_.string() + ": 2 of 4 streams, "));
    nlohmann::json part = nlohmann::json::parse(read_file(directory() / "part.json"));
    EXPECT_EQ(part["trace"]["directory"], whole_.string());
    EXPECT_EQ(part["part"]["from"], 100);
    EXPECT_EQ(part["part"]["to"], nullptr);
    EXPECT_EQ(part["part"]["begin"], 97);
    EXPECT_EQ(part["part"]["streams"], 2);
    EXPECT_EQ(part["part"]["of_streams"], 4);
    shown("whole", {}, whole_);
    EXPECT_EQ(nlohmann::json::parse(read_file(directory() / "whole.json"))["part"], nullptr);
}

TEST_F(FocusInProgramsTest, WhatIsNotThereIsRefusedAsByOvnicut) {
    build_regions(builder_, 4, 2);
    whole_ = builder_.write();
    for (const auto& [focus, words] : std::vector<std::pair<Words, std::string>>{
             {{"--region", "slove"},
              "there is no region 'slove'; there are halo, output, solve (did you mean 'solve'?)"},
             {{"--region", "solve#99"}, "region 'solve' was entered "},
             {{"--ranks", "0,7"}, "there is no rank 7 (the nearest is 1)"},
             {{"--from", "5s"}, "nothing of the trace is in that part"}}) {
        expect_error(shown("refused", focus, whole_), words);
        expect_error(counted({"--mpi"}, focus, whole_), words);
        expect_error(try_cut(whole_, "refused", focus), words);
    }
    for (const Words& focus : std::vector<Words>{{"--from", "9ns", "--to", "9ns"}, {"--from", "x"}}) {
        EXPECT_EQ(shown("refused", focus, whole_).status, 2);
        EXPECT_EQ(counted({}, focus, whole_).status, 2);
    }
    expect_nothing("refused");
    EXPECT_TRUE(fs::is_empty(temporary()));
}

TEST_F(FocusInProgramsTest, MessagesNameTheTraceOfTheUser) {
    builder_.thread().starts(1000).event("OB.", 1100).event("KZZ", 1200).ends(2000);
    builder_.thread({.tid = 2}).starts(1000).ends(1900);
    whole_ = builder_.write();
    Finished done = shown("shown", {"--from", "50ns"}, whole_);
    EXPECT_EQ(done.status, 1);
    EXPECT_THAT(done.err, HasSubstr(whole_.string() + "/loom."));
    EXPECT_THAT(done.err, HasSubstr("are those of the part"));
    EXPECT_THAT(done.err, Not(HasSubstr("shown.part")));
    expect_nothing("shown.part.");
}

TEST_F(FocusInProgramsTest, AFullDiskLeavesNothing) {
    build(builder_, {.seed = 15, .models = every_model});
    whole_ = builder_.write();
    const std::string limited = "ulimit -f 4; exec \"$0\" \"$@\"";
    expect_error(run({"sh", "-c", limited, program("ovniemu"), "--from", "1ns", "-o", directory() / "refused",
                      whole_}),
                 "cannot write: File too large");
    expect_error(run({"sh", "-c", limited, program("ovnitop"), "--from", "1ns", whole_},
                     {"TMPDIR=" + temporary().string()}),
                 "cannot write: File too large");
    expect_nothing("refused");
    EXPECT_TRUE(fs::is_empty(temporary()));
}

// The files are gone a moment after the program, which cannot remove them itself.
TEST_F(FocusInProgramsTest, ASignalLeavesNothing) {
    build(builder_, {.seed = 16, .events = 100000, .models = "OM"});
    whole_ = builder_.write();
    const auto is_there = [&] {
        for (const auto& entry : fs::directory_iterator(directory()))
            if (entry.path().filename().string().starts_with("out.part")) return true;
        return false;
    };
    for (int signal : {SIGTERM, SIGKILL, SIGHUP}) {
        Started emulating({program("ovniemu"), "--from", "1ns", "-o", directory() / "out", whole_});
        while (!is_there()) ::usleep(1000);
        ::kill(emulating.pid(), signal);
        emulating.wait();
        while (is_there()) ::usleep(1000);
    }
}

}  // namespace

}  // namespace ovni::test
