// Programs that give up rights while they are traced: what threads that begin afterwards lose is told.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>
#include <thread>

#include "drain/drainer.hpp"
#include "ovni/emit.hpp"
#include "tests/runtime/runtime_test.hpp"
#include "tests/support/process.hpp"

namespace ovni::test {
namespace {

using ::testing::HasSubstr;

constexpr uid_t unprivileged = 65534;
constexpr const char* lost = "no memory for the events of thread 5, they are lost: Permission denied";

class PrivilegeTest : public RuntimeTest {
 protected:
    void SetUp() override {
        if (::geteuid() != 0) GTEST_SKIP() << "only root has rights to give up";
    }
    // A run directory as ovnirun makes it, which this process drains; not valid if it cannot be.
    writer::Session session_for_program() {
        writer::Session session = writer::Session::create(home() / "session");
        if (!session.is_valid() || !session.claim()) return {};
        set_environment("OVNI_SESSION", session.directory());
        return session;
    }
};

void emit_numbers(uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) emit("OB.", i);
}

// `before`: with all rights.
void give_up_rights(const std::function<void()>& before) {
    start();
    ovni_add_cpu(0, 0);
    put_begin(ovni_clock_now());
    emit_numbers(1000);
    before();
    if (::setuid(unprivileged) != 0) ::exit(1);
    std::thread([] {
        ovni_thread_init(5);
        emit_numbers(100);
        ovni_thread_free();
    }).join();
    emit_numbers(1000);
    put("OHe", ovni_clock_now());
    stop();
}

TEST_F(PrivilegeTest, TheLossIsToldByAThreadThatIsStillThere) {
    writer::Session session = session_for_program();
    ASSERT_TRUE(session.is_valid());
    run_traced([] {
        start();
        ovni_add_cpu(0, 0);
        ovni_thread_free();
        std::thread([] {
            ovni_thread_init(6);
            put_begin(ovni_clock_now());
            if (::setuid(unprivileged) != 0) ::exit(1);
            std::thread([] {
                ovni_thread_init(5);
                emit_numbers(100);
                ovni_thread_free();
            }).join();
            put("OHe", ovni_clock_now());
            ovni_thread_free();
        }).join();
        ovni_proc_fini();
    });
    EXPECT_EQ(status(), 0);
    EXPECT_TRUE(writer::Drainer(session).finish_dead());
    std::vector<RecordedStream> all = streams();
    ASSERT_EQ(all.size(), 2u);
    auto told = [](const RecordedStream& one) { return one.json["ovni"].value("lost_elsewhere", 0); };
    EXPECT_EQ(told(all[0]) + told(all[1]), 100);
}

TEST_F(PrivilegeTest, WhatAThreadWithoutARunDirectoryLosesIsCounted) {
    writer::Session session = session_for_program();
    ASSERT_TRUE(session.is_valid());
    run_traced([] { give_up_rights([] {}); });
    EXPECT_EQ(status(), 0);
    EXPECT_THAT(printed_errors(), HasSubstr(lost));
    EXPECT_TRUE(writer::Drainer(session).finish_dead());
    EXPECT_EQ(stream().events.size(), 2002u);
    EXPECT_EQ(stream().json["ovni"]["lost_elsewhere"], 100);
    EXPECT_EQ(stream().json["ovni"]["finished"], 1);
    EXPECT_FALSE(stream().json["ovni"].contains("end"));
    Finished done = run({program("ovniemu"), "-o", (home() / "out").string(), trace().string()});
    EXPECT_EQ(done.status, 0) << done.err;
}

// The note of the stream cannot say so any more.
TEST_F(PrivilegeTest, MetadataOfAfterwardsReachesTheDrainer) {
    writer::Session session = session_for_program();
    ASSERT_TRUE(session.is_valid());
    run_traced([] {
        start();
        ovni_add_cpu(0, 0);
        ovni_thread_require("nodes", "1.0.0");
        put_begin(ovni_clock_now());
        if (::setuid(unprivileged) != 0) ::exit(1);
        ovni_thread_require("nosv", "2.4.0");
        ovni_thread_require("kernel", "1.0.0");
        ovni_thread_require("nosv", "2.5.0");
        ovni_mark_type(3, 0, "phase");
        put("OHe", ovni_clock_now());
        stop();
    });
    EXPECT_EQ(status(), 0);
    EXPECT_TRUE(writer::Drainer(session).finish_dead());
    const auto ovni = stream().json["ovni"];
    const auto& required = ovni["require"];
    EXPECT_EQ(required["nodes"], "1.0.0");
    EXPECT_EQ(required["nosv"], "2.5.0");
    EXPECT_EQ(required["kernel"], "1.0.0");
    EXPECT_EQ(ovni["mark"]["3"]["title"], "phase");
}

// The note of that ring names the stream of a thread that has ended.
TEST_F(PrivilegeTest, ARingOfAnotherThreadIsNotUsedAnew) {
    writer::Session session = session_for_program();
    ASSERT_TRUE(session.is_valid());
    run_traced([&] {
        give_up_rights([&] {
            std::thread([] {
                ovni_thread_init(6);
                put_begin(ovni_clock_now());
                emit_numbers(6);
                put("OHe", ovni_clock_now());
                ovni_thread_free();
            }).join();
            writer::Drainer(session).pass();
        });
    });
    EXPECT_EQ(status(), 0);
    EXPECT_THAT(printed_errors(), HasSubstr(lost));
    EXPECT_TRUE(writer::Drainer(session).finish_dead());
    uint64_t events = 0;
    for (const RecordedStream& one : streams()) events += one.events.size();
    EXPECT_EQ(events, 2002u + 8u);
}

// Its files are open already, but it may not make others.
TEST_F(PrivilegeTest, ADrainerOfTheSameProcessGoesOnWritingEvents) {
    run_traced([] { give_up_rights(ovni_flush); });
    EXPECT_EQ(status(), 0);
    EXPECT_THAT(printed_errors(), HasSubstr(lost));
    EXPECT_THAT(printed_errors(), HasSubstr("cannot write"));
    EXPECT_EQ(stream().events.size(), 2004u);
}

// The environment is that of a caller with fewer rights.
TEST_F(PrivilegeTest, ASetUserIdProgramDoesNotObeyItsCaller) {
    std::filesystem::path secret = home() / "secret", place = home() / "place";
    std::filesystem::create_directory(secret);
    std::filesystem::create_directory(place);
    ASSERT_EQ(::chmod(secret.c_str(), 0700), 0);
    ASSERT_EQ(::chmod(home().c_str(), 0755), 0);
    ASSERT_EQ(::chmod(place.c_str(), 0777), 0);
    std::filesystem::copy_file(BUILD_DIR "/tests/runtime_c_program", home() / "program");
    ASSERT_EQ(::chmod((home() / "program").c_str(), 04755), 0);
    Finished done = run({"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "sh", "-c",
                         "cd " + place.string() + " && exec ../program"},
                        {"OVNI_TRACEDIR=" + (secret / "trace").string(), "OVNI_RUNDIR=" + secret.string(),
                         "OVNI_BUFFER=nonsense"});
    if (done.status == 127) GTEST_SKIP() << "the caller cannot start the program: " << done.err;
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.err, "");
    EXPECT_TRUE(std::filesystem::is_empty(secret));
    EXPECT_TRUE(std::filesystem::exists(place / "ovni"));
}

}  // namespace
}  // namespace ovni::test
