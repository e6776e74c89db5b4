// Programs and systems that make it hard for the drainer: descriptors that are closed or used up, numbers
// that are given out twice, a /proc that is not ours, disks that refuse when the program is dead already.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "ovni/emit.hpp"
#include "ovni/private.h"
#include "tests/runtime/ours.hpp"
#include "tests/runtime/runtime_test.hpp"

namespace ovni::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::chrono::milliseconds beyond_a_look{1300};  // of the drainer for processes that died

class FaultTest : public RuntimeTest {
 protected:
    void expect_accepted() {
        Finished done = run({program("ovniemu"), "-o", (home() / "out").string(), trace().string()});
        EXPECT_EQ(done.status, 0) << done.err;
    }
    bool has_run_directory() const {
        for (const auto& place : fs::directory_iterator(home()))
            if (place.path().filename().string().starts_with("ovni-")) return !fs::is_empty(place.path());
        return false;
    }
};

void begin() {
    start();
    ovni_add_cpu(0, 0);
    put_begin(ovni_clock_now());
}
void put_many(uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) put("OB.", ovni_clock_now());
}
void end() {
    put("OHe", ovni_clock_now());
    stop();
}
size_t events_of(const RecordedStream& stream) {
    return static_cast<size_t>(std::ranges::count(stream.events, "OB.", &RecordedEvent::code));
}

TEST_F(FaultTest, FilesOfAProgramThatClosedOursAreItsOwn) {
    if (below_tsan) GTEST_SKIP() << "ThreadSanitizer takes what this program does for the race that it is";
    constexpr int files = 8;
    const std::string content = "precious";
    auto name = [this](int i) { return home() / ("data" + std::to_string(i)); };
    run_traced([&] {
        begin();
        put_many(1000);
        ovni_flush();
        for (int fd = 3; fd < 1024; ++fd) ::close(fd);
        for (int i = 0; i < files; ++i) {
            int fd = ::open(name(i).c_str(), O_CREAT | O_RDWR, 0644);
            if (::write(fd, content.data(), content.size()) < 0) ::exit(1);
        }
        put_many(1000);
        ovni_flush();
        for (int fd = 3; fd < 3 + files; ++fd)
            if (::fcntl(fd, F_GETFD) < 0) ::exit(2);
        end();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    for (int i = 0; i < files; ++i) EXPECT_EQ(file_content(name(i)), content);
    EXPECT_EQ(events_of(stream()), 2000u);
    EXPECT_FALSE(has_run_directory());
    expect_accepted();
}

TEST_F(FaultTest, AProcessWithoutFreeDescriptorsIsNotDead) {
    run_traced([] {
        begin();
        put_many(1000);
        ovni_flush();
        rlimit few{128, 128};
        setrlimit(RLIMIT_NOFILE, &few);
        std::vector<int> all;
        for (int fd = 0; (fd = ::open("/dev/null", O_RDONLY)) >= 0;) all.push_back(fd);
        std::this_thread::sleep_for(beyond_a_look);
        for (int fd : all) ::close(fd);
        put_many(1000);
        end();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    EXPECT_EQ(events_of(stream()), 2000u);
    EXPECT_TRUE(stream().gaps.is_discarded());
    expect_accepted();
}

// The body in a child that has number 2 there, while /proc shows another process of that number, or none.
void in_other_numbers(const std::function<void()>& body) {
    if (::unshare(CLONE_NEWPID) != 0) ::exit(77);
    auto wait_for = [](pid_t child) {
        int result = 0;
        ::waitpid(child, &result, 0);
        return WIFEXITED(result) ? WEXITSTATUS(result) : 1;
    };
    pid_t first = ::fork();
    if (first > 0) ::_exit(wait_for(first));
    pid_t second = ::fork();
    if (second > 0) ::_exit(wait_for(second));
    body();
    ::exit(0);
}

// The same where /proc shows them: what is chosen of them is chosen for nobody else.
void in_own_numbers(const std::function<void()>& body) {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
        ::exit(77);
    in_other_numbers([&] {
        if (::mount("proc", "/proc", "proc", 0, nullptr) != 0) ::exit(77);
        body();
    });
}

void live_longer_than_a_look() {
    begin();
    put_many(1000);
    std::this_thread::sleep_for(beyond_a_look);
    put_many(1000);
    end();
}

TEST_F(FaultTest, AProcThatShowsOtherNumbersTellsNothing) {
    run_traced([] { in_other_numbers(live_longer_than_a_look); });
    if (status() == 77) GTEST_SKIP() << "no namespace of processes";
    EXPECT_EQ(status(), 0) << printed_errors();
    EXPECT_EQ(events_of(stream()), 2000u);
    EXPECT_EQ(stream().json["ovni"].contains("end"), false);
}

// Both have the same name and number, and either may be the first.
void expect_streams_of_both(const std::vector<RecordedStream>& streams) {
    ASSERT_EQ(streams.size(), 2u);
    EXPECT_EQ(events_of(streams[0]), 2000u);
    EXPECT_EQ(events_of(streams[1]), 2000u);
    EXPECT_EQ(streams[0].json["ovni"]["loom"], test_loom);
    EXPECT_THAT(streams[1].json["ovni"]["loom"].get<std::string>(), StartsWith(std::string(test_loom) + "."));
    for (const RecordedStream& recorded : streams) EXPECT_EQ(recorded.json["ovni"]["finished"], 1);
}

void two_namesakes() {
    pid_t children[2];
    for (pid_t& child : children) {
        child = ::fork();
        if (child == 0) in_other_numbers(live_longer_than_a_look);
    }
    int worst = 0;
    for (pid_t child : children) {
        int result = 0;
        ::waitpid(child, &result, 0);
        worst = std::max(worst, WIFEXITED(result) ? WEXITSTATUS(result) : 1);
    }
    ::_exit(worst);
}

TEST_F(FaultTest, NamesakesInOtherNamespacesHaveStreamsOfTheirOwn) {
    run_traced(two_namesakes);
    if (status() == 77) GTEST_SKIP() << "no namespace of processes";
    EXPECT_EQ(status(), 0) << printed_errors();
    EXPECT_THAT(printed_errors(), HasSubstr("is of another process"));
    expect_streams_of_both(streams());
    expect_accepted();
}

// One after the other, each with a drainer of its own.
TEST_F(FaultTest, ALaterNamesakeLeavesTheStreamOfTheFirstAlone) {
    for (int run = 0; run < 2; ++run) {
        run_traced([] {
            in_own_numbers([] {
                identify({0}, test_loom);
                if (!ovni_private_thread_open()) ::exit(1);
                put_many(2000);
            });
        });
        if (status() == 77) GTEST_SKIP() << "no namespace of processes";
        EXPECT_EQ(status(), 0) << printed_errors();
    }
    EXPECT_THAT(printed_errors(), HasSubstr("is of another process"));
    expect_streams_of_both(streams());
    expect_accepted();
}

TEST_F(FaultTest, NobodyIsTakenForDeadIfThereIsNoProc) {
    run_traced([] {
        if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
            ::mount("none", "/proc", "tmpfs", 0, nullptr) != 0)
            ::exit(77);
        live_longer_than_a_look();
    });
    if (status() == 77) GTEST_SKIP() << "no namespace of mounts";
    EXPECT_EQ(status(), 0) << printed_errors();
    EXPECT_EQ(events_of(stream()), 2000u);
    EXPECT_EQ(stream().json["ovni"].contains("end"), false);
}

TEST_F(FaultTest, RecoveryKeepsWhatItCannotWrite) {
    set_environment("OVNI_FLIGHT", "512k");
    run_traced([] {
        begin();
        put_many(20'000);
        ::raise(SIGKILL);
    });
    ASSERT_TRUE(has_run_directory());
    for (int attempt = 0; attempt < 2; ++attempt) {
        Finished refused = recover("trap '' XFSZ; ulimit -f 64; ");
        EXPECT_EQ(refused.status, 1) << refused.out << refused.err;
        EXPECT_THAT(refused.out, HasSubstr(" 0 streams, 0 bytes written"));
        EXPECT_TRUE(has_run_directory());
    }
    Finished done = recover();
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_FALSE(has_run_directory());
    EXPECT_EQ(events_of(stream()), 20'000u);
    EXPECT_TRUE(stream().gaps.is_discarded()) << stream().gaps.dump();
    EXPECT_FALSE(stream().json["ovni"].contains("lost"));
    expect_accepted();
}

TEST_F(FaultTest, ASecondThreadOfTheSameNumberGoesOnInTheStream) {
    run_traced([] {
        begin();
        for (uint64_t count : {1000u, 5u})
            std::thread([count] {
                ovni_thread_init(77);
                ovni_thread_require(count == 5 ? "second" : "first", "1.0.0");
                put_begin(ovni_clock_now());
                put_many(count);
                put("OHe", ovni_clock_now());
                ovni_thread_free();
            }).join();
        end();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    ASSERT_EQ(streams().size(), 2u);
    RecordedStream recorded = streams()[1];
    EXPECT_EQ(recorded.json["ovni"]["tid"], 77);
    EXPECT_EQ(events_of(recorded), 1005u);
    EXPECT_EQ(std::ranges::count(recorded.events, "OHx", &RecordedEvent::code), 2);
    EXPECT_TRUE(recorded.clocks_never_decrease());
    EXPECT_EQ(recorded.json["ovni"]["require"].value("first", ""), "1.0.0");
    EXPECT_EQ(recorded.json["ovni"]["require"].value("second", ""), "1.0.0");
}

// Rings that others used before come back in any order; what they hold of one stream does not.
TEST_F(FaultTest, ManyLivesOfOneNumberAreThereInTheirOrder) {
    constexpr uint64_t lives = 300;
    run_traced([] {
        begin();
        for (uint64_t life = 0; life < lives; ++life)
            std::thread([] {
                ovni_thread_init(77);
                put_begin(ovni_clock_now());
                put_many(10);
                put("OHe", ovni_clock_now());
                ovni_thread_free();
            }).join();
        end();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    RecordedStream recorded = streams()[1];
    EXPECT_EQ(events_of(recorded), lives * 10);
    EXPECT_TRUE(recorded.clocks_never_decrease());
}

// Ours, of which nobody says a number: the system gives it out again.
void emit_as(pid_t wanted, int count) {
    constexpr int most_attempts = 1000;
    bool found = false;
    for (int attempt = 0; attempt < most_attempts && !found; ++attempt) {
        if (wanted != 0) std::ofstream("/proc/sys/kernel/ns_last_pid") << wanted - 1;
        std::thread([&] {
            found = wanted == 0 || ::gettid() == wanted;
            if (!found) return;
            ovni_private_thread_open();
            for (int i = 0; i < count; ++i) emit("OB.");
        }).join();
    }
    if (!found) ::_exit(77);
}

void emit_twice_with_one_number() {
    pid_t number = 0;
    std::thread([&] {
        number = ::gettid();
        ovni_private_thread_open();
        for (int i = 0; i < 1000; ++i) emit("OB.");
    }).join();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    emit_as(number, 5);
}

TEST_F(FaultTest, ASecondThreadOfOursOfTheSameNumberGoesOnInTheStream) {
    for (bool uses_temporary : {false, true}) {
        fs::remove_all(trace());
        if (uses_temporary) set_environment("OVNI_TMPDIR", home() / "tmp");
        run_traced([] { in_own_numbers(emit_twice_with_one_number); });
        if (status() == 77) GTEST_SKIP() << "numbers of threads cannot be chosen";
        EXPECT_EQ(status(), 0) << printed_errors();
        EXPECT_EQ(events_of(stream()), 1005u);
        EXPECT_EQ(std::ranges::count(stream().events, "OHx", &RecordedEvent::code), 2);
        EXPECT_EQ(std::ranges::count(stream().events, "OHe", &RecordedEvent::code), 2);
        EXPECT_TRUE(!uses_temporary || fs::is_empty(home() / "tmp"));
        expect_accepted();
    }
}

TEST_F(FaultTest, ADiskThatIsFullAlreadyLeavesTheFilesBesideTheStreamWhole) {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
        GTEST_SKIP() << "no mount namespace";
    fs::create_directories(trace());
    ASSERT_EQ(::mount("memory", trace().c_str(), "tmpfs", 0, "size=1m"), 0);
    constexpr uint64_t count = 40'000;
    run_traced([this] {
        begin();
        put_many(1000);
        ovni_flush();
        std::ofstream fill(trace() / "fill");
        for (std::string block(4096, 'x'); fill.write(block.data(), 4096).flush();) continue;
        put_many(count);
        end();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    uint64_t lost = 0;
    const RecordedStream recorded = stream();
    for (const auto& gap : recorded.gaps["gaps"]) lost += gap["lost"].get<uint64_t>();
    EXPECT_GE(events_of(recorded) + lost, 1000u + count) << printed_errors();
    EXPECT_EQ(recorded.json["ovni"]["lost"], lost);
    EXPECT_EQ(recorded.json["ovni"]["finished"], 1);
    ::umount2(trace().c_str(), MNT_DETACH);
}

}  // namespace
}  // namespace ovni::test
