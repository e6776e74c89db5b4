// A traced program without MPI, and ovnictl next to it: what is recorded is what was asked for from outside.
#include <gmock/gmock.h>
#include <signal.h>
#include <stdlib.h>

#include <algorithm>
#include <memory>

#include "tests/runtime/runtime_test.hpp"
#include "tests/support/asan_options.hpp"
#include "tests/support/started.hpp"

namespace ovni::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Words = std::vector<std::string>;

class OutsideTest : public RuntimeTest, public ::testing::WithParamInterface<const char*> {
 protected:
    // The program is started by itself, or below ovnirun.
    void start_program(const std::string& chains, const std::map<std::string, std::string>& more = {}) {
        Words words{BUILD_DIR "/tests/controlled"};
        if (GetParam() == std::string("ovnirun")) words.insert(words.begin(), program("ovnirun"));
        std::map<std::string, std::string> environment = more;
        environment["OVNI_CONTROL"] = chains;
        environment["OVNI_TRACEDIR"] = trace();
        environment["OVNI_RUNDIR"] = home();
        environment["ASAN_OPTIONS"] = asan_options;
        program_ = std::make_unique<Started>(words, [=] {
            for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
        });
        pid_ = program_->line();
    }
    std::string tell(const std::string& words) {
        program_->write(words + "\n");
        return program_->read_until("done\n");
    }
    // The text that ovnictl prints behind the rank.
    std::string ovnictl(const Words& words) const {
        Words command{program("ovnictl"), home()};
        command.insert(command.end(), words.begin(), words.end());
        Finished done = run(command);
        EXPECT_EQ(done.status, done.out.find(": ok") == done.out.npos) << done.out << done.err;
        return done.out.substr(std::min(done.out.size(), done.out.find(": ") + 2));
    }
    void end_program() {
        program_->close_input();
        EXPECT_EQ(program_->wait(), 0);
    }
    static std::vector<int> numbers_in(const RecordedStream& stream) {
        std::vector<int> numbers;
        for (const RecordedEvent& event : stream.events)
            if (event.code == "OB.") numbers.push_back(event.argument<int>(0));
        return numbers;
    }
    static std::vector<int> numbers(std::initializer_list<std::pair<int, int>> ranges) {
        std::vector<int> all;
        for (auto [first, last] : ranges)
            for (int i = first; i < last; ++i) all.push_back(i);
        return all;
    }
    static bool soon(const std::function<bool()>& condition) {
        for (int i = 0; i < 2000 && !condition(); ++i) ::usleep(10'000);
        return condition();
    }
    void expect_emulates() const {
        Finished done = run({program("ovniemu"), "-o", (home() / "out").string(), trace().string()});
        EXPECT_EQ(done.status, 0) << done.err;
    }

    std::unique_ptr<Started> program_;
    std::string pid_;  // its own, not that of ovnirun
};

INSTANTIATE_TEST_SUITE_P(By, OutsideTest, ::testing::Values("itself", "ovnirun"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(OutsideTest, StopAndStartLeaveAGap) {
    start_program("stop:interactive");
    tell("emit 0 10");
    EXPECT_THAT(ovnictl({"status"}), HasSubstr("recording=on"));
    EXPECT_THAT(ovnictl({"stop"}), StartsWith("ok"));
    EXPECT_THAT(ovnictl({"status"}), HasSubstr("recording=off"));
    tell("emit 10 20");
    EXPECT_THAT(ovnictl({"start"}), StartsWith("ok"));
    tell("emit 20 30");
    end_program();
    EXPECT_EQ(numbers_in(stream()), numbers({{0, 10}, {20, 30}}));
    EXPECT_EQ(stream().gaps["gaps"].size(), 1u);
    expect_emulates();
}

TEST_P(OutsideTest, FireFollowsTheChain) {
    start_program("start:interactive,stop:interactive,repeat");
    for (int round = 0; round < 4; ++round) {
        tell("emit " + std::to_string(10 * round) + " " + std::to_string(10 * round + 10));
        EXPECT_THAT(ovnictl({"fire"}), StartsWith("ok"));
    }
    tell("emit 40 50");
    end_program();
    EXPECT_EQ(numbers_in(stream()), numbers({{10, 20}, {30, 40}}));
    expect_emulates();
}

TEST_P(OutsideTest, OneOfSeveralAlarmsIsChosen) {
    start_program("stop:interactive;start:interactive");
    tell("emit 0 10");
    EXPECT_THAT(ovnictl({"fire", "2"}), StartsWith("ok"));
    tell("emit 10 20");
    EXPECT_THAT(ovnictl({"fire", "1"}), StartsWith("ok"));
    tell("emit 20 30");
    EXPECT_THAT(ovnictl({"fire", "3"}), StartsWith("err"));
    EXPECT_THAT(ovnictl({"chains"}), HasSubstr("interactive"));
    end_program();
    EXPECT_EQ(numbers_in(stream()), numbers({{10, 20}}));
}

TEST_P(OutsideTest, ATimeoutStopsRecording) {
    start_program("stop:timeout:0.2");
    tell("emit 0 10");
    EXPECT_TRUE(soon([&] { return ovnictl({"status"}).find("recording=off") != std::string::npos; }));
    tell("emit 10 20");
    end_program();
    EXPECT_EQ(numbers_in(stream()), numbers({{0, 10}}));
}

TEST_P(OutsideTest, ThreadsThatBeginLaterAreMeantToo) {
    start_program("stop:interactive");
    tell("threads 0 10");
    ovnictl({"stop"});
    tell("threads 10 20");
    ovnictl({"start"});
    tell("threads 20 30");
    end_program();
    std::vector<int> recorded;
    for (const RecordedStream& stream : streams())
        for (int number : numbers_in(stream)) recorded.push_back(number);
    std::ranges::sort(recorded);
    EXPECT_EQ(recorded, numbers({{0, 10}, {20, 30}}));
    expect_emulates();
}

TEST_P(OutsideTest, FlushWritesWhatTheFlightRecorderKeeps) {
    start_program("stop:interactive", {{"OVNI_FLIGHT", "1M"}});
    tell("emit 0 100");
    auto written = [&] {
        return fs::exists(trace()) && streams().size() == 1 ? numbers_in(stream()) : std::vector<int>();
    };
    EXPECT_THAT(ovnictl({"flush"}), StartsWith("ok"));
    EXPECT_TRUE(soon([&] { return written().size() == 100; })) << written().size();
    tell("emit 100 200");
    end_program();
    EXPECT_EQ(numbers_in(stream()), numbers({{0, 200}}));
}

TEST_P(OutsideTest, AProgramThatClosesItsDescriptorsIsReachedStill) {
#if defined __SANITIZE_THREAD__
    GTEST_SKIP() << "ThreadSanitizer takes what this program does for the race that it is";
#endif
    start_program("stop:interactive");
    tell("close");
    tell("emit 0 10");
    EXPECT_THAT(ovnictl({"stop"}), StartsWith("ok"));
    tell("emit 10 20");
    end_program();
    EXPECT_EQ(numbers_in(stream()), numbers({{0, 10}}));
}

TEST_P(OutsideTest, AForkedChildIsReachedByItself) {
    if (no_forked_children) GTEST_SKIP() << no_forked_children;
    start_program("stop:interactive");
    std::string answer = tell("fork 0 1");
    std::string pid = answer.substr(0, answer.find('\n'));
    EXPECT_TRUE(soon([&] { return run({program("ovnictl"), home(), "--pid", pid, "status"}).status == 0; }));
    EXPECT_THAT(ovnictl({"--pid", pid, "stop"}), StartsWith("ok"));
    EXPECT_THAT(ovnictl({"--pid", pid, "status"}), HasSubstr("recording=off"));
    EXPECT_THAT(ovnictl({"--pid", pid_, "status"}), HasSubstr("recording=on"));
    ::kill(std::stoi(pid), SIGKILL);
    end_program();
}

TEST_P(OutsideTest, NothingIsLeftBehind) {
    start_program("stop:interactive");
    EXPECT_THAT(ovnictl({"status"}), StartsWith("ok"));
    end_program();
    for (const auto& entry : fs::recursive_directory_iterator(home()))
        EXPECT_FALSE(entry.is_socket()) << entry.path();
}

}  // namespace
}  // namespace ovni::test
