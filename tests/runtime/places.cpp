// Places that are small, closed, read only or far away: the program goes on with its own status, and what is
// lost is told.
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <cerrno>
#include <thread>

#include "tests/runtime/runtime_test.hpp"
#include "tests/support/words.hpp"

namespace ovni::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PlaceTest : public RuntimeTest {
 protected:
    // The process of the test gets mounts of its own.
    void SetUp() override {
        if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
            GTEST_SKIP() << "no mount namespace: " << strerror(errno);
    }
    void TearDown() override {
        for (const fs::path& place : mounted_) ::umount2(place.c_str(), MNT_DETACH);
    }
    fs::path mount_memory(const fs::path& place, const std::string& options, unsigned long flags = 0) {
        fs::create_directories(place);
        EXPECT_EQ(::mount("memory", place.c_str(), "tmpfs", flags, options.c_str()), 0) << strerror(errno);
        mounted_.push_back(place);
        return place;
    }

    // A program of `threads` threads that are there at once. Status 6 is its own.
    void run_threads(int threads, int events) {
        run_traced([&] {
            ovni_proc_init(7, test_loom, test_pid);
            std::barrier all(threads);
            std::atomic<bool> cpu_is_told = false;
            std::vector<std::thread> team;
            for (int t = 0; t < threads; ++t)
                team.emplace_back([&, tid = 1 + t, events] {
                    // There is room for the first one.
                    if (tid != 1) cpu_is_told.wait(false);
                    ovni_thread_init(tid);
                    if (tid == 1) ovni_add_cpu(0, 0);
                    cpu_is_told = true;
                    cpu_is_told.notify_all();
                    all.arrive_and_wait();
                    put("OHx", 1, int32_t{-1}, int32_t{-1}, uint64_t{0});
                    for (int i = 1; i <= events; ++i) put("OB.", static_cast<uint64_t>(i), i);
                    put("OHe", static_cast<uint64_t>(events + 1));
                    ovni_thread_free();
                });
            for (std::thread& thread : team) thread.join();
            ovni_proc_fini();
            ::exit(6);
        });
        EXPECT_EQ(status(), 6) << printed_errors();
    }
    void expect_all(size_t threads, size_t events) {
        ASSERT_EQ(streams().size(), threads) << printed_errors();
        for (const RecordedStream& stream : streams()) ASSERT_EQ(stream.events.size(), events + 2);
    }
    // Each kind of trouble has one line.
    void expect_few_lines() {
        EXPECT_LE(std::count(printed_errors().begin(), printed_errors().end(), '\n'), 4) << printed_errors();
    }
    void expect_accepted() {
        Finished emulated = run({program("ovniemu"), "-o", (home() / "out").string(), trace().string()});
        EXPECT_EQ(emulated.status, 0) << emulated.err;
    }

 private:
    std::vector<fs::path> mounted_;
};

TEST_F(PlaceTest, ARunDirectoryWithoutRoomForAllThreadsLosesNothing) {
    set_environment("OVNI_RUNDIR", mount_memory(home() / "run", "size=8m"));
    run_threads(50, 3000);
    expect_all(50, 3000);
    EXPECT_THAT(printed_errors(), IsEmpty());
}

TEST_F(PlaceTest, RunDirectoriesWithoutRoomForAllThreadsLoseNothing) {
    set_environment("OVNI_RUNDIR", mount_memory(home() / "run", "size=8m"));
    mount_memory("/dev/shm", "size=8m");
    set_environment("TMPDIR", mount_memory(home() / "tmp", "size=8m"));
    run_threads(50, 3000);
    expect_all(50, 3000);
    EXPECT_THAT(printed_errors(), IsEmpty());
}

TEST_F(PlaceTest, ThreadsThatFindNoRoomAnywhereAreReported) {
    set_environment("OVNI_RUNDIR", mount_memory(home() / "run", "size=4m"));
    mount_memory("/dev/shm", "size=4m");
    set_environment("TMPDIR", mount_memory(home() / "tmp", "size=4m"));
    mount_memory(trace(), "size=8m");
    run_threads(100, 300);
    EXPECT_THAT(printed_errors(), HasSubstr("no memory for the events of thread"));
    expect_few_lines();
    EXPECT_GT(streams().size(), 4u);
    for (const RecordedStream& stream : streams()) EXPECT_EQ(stream.events.size(), 302u);
    expect_accepted();
}

TEST_F(PlaceTest, ARunDirectoryThatIsReadOnlyLosesNothing) {
    set_environment("OVNI_RUNDIR", mount_memory(home() / "run", "size=1m", MS_RDONLY));
    run_threads(3, 1000);
    expect_all(3, 1000);
    EXPECT_THAT(printed_errors(), IsEmpty());
}

TEST_F(PlaceTest, ATraceDirectoryThatIsReadOnlyIsReported) {
    mount_memory(trace(), "size=1m", MS_RDONLY);
    run_threads(3, 100'000);
    EXPECT_THAT(printed_errors(), HasSubstr("Read-only file system"));
    expect_few_lines();
}

TEST_F(PlaceTest, ADiskThatFillsUpLeavesCountedGaps) {
    mount_memory(trace(), "size=2m");
    run_threads(2, 200'000);
    EXPECT_THAT(printed_errors(), HasSubstr("No space left on device"));
    expect_few_lines();
    ASSERT_EQ(streams().size(), 2u);
    for (const RecordedStream& stream : streams()) {
        uint64_t lost = 0;
        ASSERT_TRUE(stream.gaps.is_object()) << stream.directory;
        for (const auto& gap : stream.gaps["gaps"]) lost += gap["lost"].get<uint64_t>();
        EXPECT_EQ(lost + stream.events.size(), 200'002u);
        EXPECT_EQ(stream.json["ovni"]["lost"], lost);
    }
    expect_accepted();
}

class ForbiddenTest : public RuntimeTest {
 protected:
    static constexpr uid_t nobody = 65534;

    ForbiddenTest() {
        fs::permissions(home(), fs::perms::all);
        fs::create_directory(home() / "closed");
        fs::permissions(home() / "closed", fs::perms::none);
        fs::create_directory(home() / "open");
        fs::permissions(home() / "open", fs::perms::all);
    }
    ~ForbiddenTest() override {
        fs::permissions(home() / "closed", fs::perms::owner_all);
        if (::geteuid() == 0) ::rmdir(("/dev/shm/ovni-" + std::to_string(nobody)).c_str());
    }
    // The program has no rights of root, which may do everything.
    void record() {
        run_traced([] {
            if (::geteuid() == 0 && (::setgid(nobody) != 0 || ::setuid(nobody) != 0)) ::_exit(1);
            start();
            for (uint64_t i = 0; i < 400'000; ++i) put("OB.", i);
            stop();
            ::exit(6);
        });
        EXPECT_EQ(status(), 6) << printed_errors();
    }
};

TEST_F(ForbiddenTest, AForbiddenRunDirectoryLosesNothing) {
    set_environment("OVNI_RUNDIR", home() / "closed");
    record();
    EXPECT_EQ(stream().events.size(), 400'000u);
    EXPECT_THAT(printed_errors(), IsEmpty());
}

TEST_F(ForbiddenTest, AForbiddenTraceDirectoryIsReported) {
    set_environment("OVNI_RUNDIR", home() / "open");
    set_environment("OVNI_TRACEDIR", home() / "closed/ovni");
    record();
    EXPECT_THAT(printed_errors(), HasSubstr("Permission denied"));
    EXPECT_LE(std::count(printed_errors().begin(), printed_errors().end(), '\n'), 4) << printed_errors();
}

class LongPathTest : public RuntimeTest {
 protected:
    // Below home(), with as many characters as that.
    fs::path path_of(size_t length) const {
        std::string path = home();
        while (path.size() + 102 < length) path += "/" + std::string(100, 'd');
        return path + "/" + std::string(length - path.size() - 1, 'e');
    }
    void record() {
        run_traced([] {
            start();
            put("OB.", 1);
            stop();
            ::exit(6);
        });
        EXPECT_EQ(status(), 6) << printed_errors();
    }
};

TEST_F(LongPathTest, ALongTraceDirectoryIsWrittenTo) {
    set_environment("OVNI_TRACEDIR", path_of(4000));
    record();
    EXPECT_THAT(printed_errors(), IsEmpty());
    fs::path place = path_of(4000) / "loom.nodeA.app1/proc.4321/thread.4321";
    EXPECT_EQ(RecordedStream(place).codes(), "OB.");
}

TEST_F(LongPathTest, ATraceDirectoryThatIsTooLongIsReported) {
    for (size_t length : {4060u, 4095u, 5000u}) {
        set_environment("OVNI_TRACEDIR", path_of(length));
        record();
        EXPECT_THAT(printed_errors(), HasSubstr("File name too long"));
        EXPECT_LE(std::count(printed_errors().begin(), printed_errors().end(), '\n'), 4) << printed_errors();
    }
}

TEST_F(LongPathTest, RunDirectoriesOfAnyLengthLoseNothing) {
    for (size_t length : {3000u, 4000u, 4080u, 4095u, 5000u}) {
        fs::remove_all(trace());
        fs::path place = path_of(length);
        std::error_code impossible;
        fs::create_directories(place, impossible);
        set_environment("OVNI_RUNDIR", place);
        record();
        EXPECT_EQ(codes(), "OB.") << length;
        EXPECT_THAT(printed_errors(), IsEmpty()) << length;
    }
}

}  // namespace
}  // namespace ovni::test
