// libovni brought in by dlopen(), or by a plugin of a program that does not know it, and dropped while there
// are events.
#include <dlfcn.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "tests/runtime/runtime_test.hpp"
#include "tests/support/launchers.hpp"

namespace ovni::test {
namespace {

class LoadingTest : public RuntimeTest, public ::testing::WithParamInterface<Words> {
 protected:
    void SetUp() override {
        if (*OVNI_SANITIZE) GTEST_SKIP() << "the runtime of a sanitizer cannot be loaded later";
    }
    Finished run_host(const Words& options = {}) {
        Words host{BUILD_DIR "/tests/runtime_plugin_host", BUILD_DIR "/tests/runtime_plugin.so",
                   BUILD_DIR "/lib/libovni.so.1"};
        return run(GetParam() + host + options,
                   {"OVNI_TRACEDIR=" + trace().string(), "OVNI_RUNDIR=" + home().string()});
    }
    void expect_numbers(const RecordedStream& stream) {
        int number = 0;
        for (const RecordedEvent& event : stream.events) {
            if (event.code != "OB.") continue;
            ASSERT_EQ(event.argument<int>(0), ++number);
        }
        EXPECT_EQ(number, 3000);
    }
};
INSTANTIATE_TEST_SUITE_P(By, LoadingTest, ::testing::Values(Words{}, Words{program("ovnirun")}),
                         launcher_name);

TEST_P(LoadingTest, EmissionGoesOnAfterLibrariesAreClosed) {
    Finished done = run_host();
    EXPECT_EQ(done.status, 8) << done.err;
    EXPECT_EQ(done.err, "");
    EXPECT_EQ(stream().events.size(), 3002u);
    expect_numbers(stream());
    EXPECT_FALSE(stream().json["ovni"].contains("end"));
}

TEST_P(LoadingTest, EventsOfAPluginSurviveAKill) {
    EXPECT_EQ(run_host({"killed"}).status, 128 + SIGKILL);
    Finished recovered = recover();
    EXPECT_EQ(recovered.status, 0) << recovered.err;
    expect_numbers(stream());
    EXPECT_EQ(stream().json["ovni"]["finished"], 1);
}

TEST_F(RuntimeTest, ASecondCopyRecordsInTheStreamsOfTheFirst) {
    if (*OVNI_SANITIZE) GTEST_SKIP() << "the runtime of a sanitizer cannot be loaded later";
    std::filesystem::path copy = home() / "libcopy.so";
    std::filesystem::copy_file(BUILD_DIR "/lib/libovni.so.1", copy);
    run_traced([&] {
        start();
        put("OB.", 1);
        void* handle = dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!handle) ::exit(2);
        auto emit_there = reinterpret_cast<decltype(&ovni_ev_emit)>(dlsym(handle, "ovni_ev_emit"));
        auto open_there = reinterpret_cast<decltype(&ovni_thread_init)>(dlsym(handle, "ovni_thread_init"));
        if (emit_there == &ovni_ev_emit) ::exit(3);
        for (uint64_t i = 2; i < 100'000; ++i) {
            ovni_ev one = event("OB.", i);
            emit_there(&one);
        }
        std::thread([&] {
            open_there(77);
            ovni_ev one = event("OB.", 1);
            emit_there(&one);
        }).join();
        put("OB.", 100'000);
        stop();
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    EXPECT_EQ(std::ranges::count(printed_errors(), '\n'), 1) << printed_errors();
    RecordedStream recorded = stream();
    ASSERT_EQ(recorded.events.size(), 100'000u);
    for (uint64_t i = 0; i < 100'000; ++i) ASSERT_EQ(recorded.events[i].clock, i + 1);
}

// The child runs in the memory of its parent, which waits: they are one thread, and one stream.
TEST_F(RuntimeTest, AVforkedChildEmitsAsItsParent) {
    if (below_tsan) GTEST_SKIP() << "ThreadSanitizer makes a fork of a vfork";
    run_traced([] {
        start();
        put("OB.", 1);
        static volatile int by_child = 0;
        pid_t child = vfork();
        if (child == 0) {
            for (uint64_t i = 2; i < 200'000; ++i) put("OB.", i);
            by_child = 1;
            ::_exit(0);
        }
        waitpid(child, nullptr, 0);
        put("OU[", 200'000);
        stop();
        ::exit(by_child ? 0 : 1);
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    RecordedStream recorded = stream();
    ASSERT_EQ(recorded.events.size(), 200'000u);
    for (uint64_t i = 0; i < 200'000; ++i) ASSERT_EQ(recorded.events[i].clock, i + 1);
}

}  // namespace
}  // namespace ovni::test
