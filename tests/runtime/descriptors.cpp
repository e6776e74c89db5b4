// Descriptors that the program has closed or takes for itself, and files that are not what they seem: ours
// never come in its way.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "ovni/emit.hpp"
#include "ring/session.hpp"
#include "tests/runtime/runtime_test.hpp"

namespace ovni::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class DescriptorTest : public RuntimeTest {
 protected:
    static void emit_many(int events) {
        for (int i = 0; i < events; ++i) emit("OB.", i);
    }
    static uint64_t events_of(const RecordedStream& stream) {
        return static_cast<uint64_t>(std::ranges::count(stream.events, "OB.", &RecordedEvent::code));
    }
    // The file of a stream in its place.
    fs::path stream_file() const {
        fs::path place = trace() / "loom.nodeA.app1/proc.4321/thread.4321";
        fs::create_directories(place);
        return place / "stream.obs";
    }
    void expect_all_lost(const std::string& reason) {
        run_traced([] {
            start();
            emit_many(1000);
            stop();
            ::exit(6);
        });
        EXPECT_EQ(status(), 6) << printed_errors();
        EXPECT_THAT(printed_errors(), HasSubstr(reason));
        auto json = nlohmann::json::parse(file_content(stream_file().parent_path() / "stream.json"));
        EXPECT_EQ(json["ovni"]["lost"], 1000);
    }
};

TEST_F(DescriptorTest, ClosedStandardInputAndOutputStayClosed) {
    run_traced([] {
        ::close(STDIN_FILENO);
        ::close(STDOUT_FILENO);
        start();
        for (int round = 0; round < 10; ++round) {
            emit_many(20'000);
            ovni_flush();
            for (int fd : {STDIN_FILENO, STDOUT_FILENO})
                if (::fcntl(fd, F_GETFD) >= 0 || ::write(fd, "text", 4) >= 0) ::exit(3);
        }
        std::thread([] {
            ovni_thread_init(test_tid + 1);
            emit_many(1);
            ovni_thread_free();
        }).join();
        stop();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    ASSERT_EQ(streams().size(), 2u);
    EXPECT_EQ(events_of(streams()[0]), 200'000u);
}

TEST_F(DescriptorTest, NothingIsSaidToAFileThatTookTheNumberOfStderr) {
    fs::path data = home() / "data";
    set_environment("OVNI_BUFFER", "abc");
    run_traced([&] {
        ::close(STDERR_FILENO);
        if (::open(data.c_str(), O_WRONLY | O_CREAT, 0600) != STDERR_FILENO) ::exit(2);
        start();
        emit_many(1);
        stop();
    });
    EXPECT_EQ(status(), 0);
    EXPECT_EQ(file_content(data), "");
    EXPECT_EQ(events_of(stream()), 1u);
    run_traced([] { start(); });
    EXPECT_THAT(printed_errors(), HasSubstr("abc"));
}

TEST_F(DescriptorTest, APipeThatNobodyReadsEndsNoProgram) {
    set_environment("OVNI_BUFFER", "abc");
    run_traced([] {
        int ends[2];
        if (::pipe(ends) != 0 || ::dup2(ends[1], STDERR_FILENO) < 0) ::exit(2);
        ::close(ends[0]);
        execl(BUILD_DIR "/tests/runtime_exec_target", "exec", "again", nullptr);
    });
    EXPECT_EQ(status(), 0);
}

// Under all numbers, again and again, while the drainer writes.
TEST_F(DescriptorTest, TheDrainerWritesToNoFileOfTheProgram) {
    if (below_tsan) GTEST_SKIP() << "ThreadSanitizer takes what this program does for the race that it is";
    constexpr int rounds = 60;
    fs::path precious = home() / "precious";
    run_traced([&] {
        start();
        emit_many(1);
        ovni_flush();
        int file = ::open(precious.c_str(), O_CREAT | O_RDWR, 0600);
        int own = ::fcntl(file, F_DUPFD, 100);
        for (int round = 0; round < rounds; ++round) {
            for (int fd = 3; fd < 60; ++fd) ::dup2(own, fd);
            emit_many(20'000);
        }
        struct stat status {};
        if (::fstat(own, &status) != 0 || status.st_size != 0) ::exit(3);
        stop();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    EXPECT_EQ(file_content(precious), "");
    EXPECT_EQ(events_of(stream()), rounds * 20'000u + 1);
    EXPECT_TRUE(stream().gaps.is_discarded());
}

// Its thread has made its ring; the drainer sees that there only now.
TEST_F(DescriptorTest, AThreadThatTakesAllOfThemLosesNothing) {
    run_traced([] {
        start();
        emit_many(1);
        std::thread([] {
            ovni_thread_init(test_tid + 1);
            emit_many(1000);
            rlimit few{200, 200};
            setrlimit(RLIMIT_NOFILE, &few);
            std::vector<int> all;
            for (int fd = 0; (fd = ::open("/dev/null", O_RDONLY)) >= 0;) all.push_back(fd);
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
            for (int fd : all) ::close(fd);
            emit_many(1000);
            ovni_thread_free();
        }).join();
        stop();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    ASSERT_EQ(streams().size(), 2u);
    EXPECT_EQ(events_of(streams()[1]), 2000u);
}

TEST_F(DescriptorTest, StreamsEndWithFewDescriptors) {
    Finished done = run({"bash", "-c",
                         "ulimit -n 32; exec " + program("ovnirun") + " -o " + trace().string() + " " +
                             BUILD_DIR "/tests/runtime_crowd_target 40 1 2000"},
                        {"OVNI_RUNDIR=" + home().string()});
    EXPECT_EQ(done.status, 9) << done.err;
    ASSERT_EQ(streams().size(), 40u) << done.err;
    for (const RecordedStream& stream : streams()) {
        EXPECT_EQ(events_of(stream), 2000u);
        EXPECT_EQ(stream.json["ovni"]["finished"], 1) << stream.json;
    }
}

TEST_F(DescriptorTest, AFileOfSomebodyElseIsNotWrittenThroughALink) {
    fs::path victim = home() / "victim";
    std::ofstream(victim) << "precious";
    fs::create_symlink(victim, stream_file());
    expect_all_lost("a symbolic link of another user, or one that is never followed: remove it");
    EXPECT_EQ(file_content(victim), "precious");
}

TEST_F(DescriptorTest, APipeHoldsNobodyUp) {
    ASSERT_EQ(::mkfifo(stream_file().c_str(), 0600), 0);
    expect_all_lost("No such device or address");
}

TEST_F(DescriptorTest, ADamagedNumberOfRingsHoldsNobodyUp) {
    run_traced([&] {
        start();
        emit_many(1000);
        ovni_flush();
        for (const auto& entry : fs::recursive_directory_iterator(home()))
            if (entry.path().filename() == "session")
                writer::Session::open(entry.path().parent_path()).header().rings = UINT32_MAX;
        emit_many(1000);
        stop();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    EXPECT_EQ(events_of(stream()), 2000u);
}

TEST_F(DescriptorTest, ATemporaryDirectoryThatIsTheTraceKeepsIt) {
    fs::create_directory(trace());
    fs::create_directory_symlink(trace(), home() / "other");
    for (const std::string& spelled : {trace().string() + "/", (home() / "other").string()}) {
        set_environment("OVNI_TMPDIR", spelled);
        run_traced([] {
            start();
            emit_many(1000);
            stop();
        });
        EXPECT_EQ(status(), 0) << printed_errors();
        EXPECT_EQ(events_of(stream()), 1000u) << spelled;
    }
}

// The one that this process was to use, whose drainer has just decided to remove it.
TEST_F(DescriptorTest, ARunDirectoryThatGoesAwayIsLeft) {
    fs::path directory = home() / "left";
    run_traced([&] {
        writer::Session left = writer::Session::create(directory);
        left.header().owner = {::getppid(), writer::start_of_process(::getppid()), writer::pid_space()};
        left.header().removed = 1;
        ::setenv("OVNI_SESSION", directory.c_str(), 1);
        start();
        emit_many(1000);
        stop();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    EXPECT_EQ(events_of(stream()), 1000u) << printed_errors();
}

}  // namespace
}  // namespace ovni::test
