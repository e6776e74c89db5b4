// Messages of ovnirecover about run directories, and the time when these go.
#include <gmock/gmock.h>
#include <signal.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <thread>

#include "ovni/emit.hpp"
#include "ovni/private.h"
#include "ring/session.hpp"
#include "tests/runtime/runtime_test.hpp"
#include "tests/support/words.hpp"

namespace ovni::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class RecoverTest : public RuntimeTest {
 protected:
    Finished ask(const std::string& word) const {
        return run({program("ovnirecover"), word}, {"OVNI_RUNDIR=" + home().string()});
    }
};

TEST_F(RecoverTest, ADirectoryThatIsNoRunDirectoryIsSaidToBeNone) {
    Finished empty = ask(home().string());
    EXPECT_EQ(empty.status, 1);
    EXPECT_THAT(empty.err,
                HasSubstr(home().string() + ": is no run directory: there is no file 'session' in it"));
    Finished absent = ask((home() / "nowhere").string());
    EXPECT_EQ(absent.status, 1);
    EXPECT_THAT(absent.err, HasSubstr("nowhere: no run directory: No such file or directory"));
    std::ofstream(home() / "session") << "a text";
    Finished other = ask(home().string());
    EXPECT_EQ(other.status, 1);
    EXPECT_THAT(other.err, HasSubstr(home().string() + ": no run directory: Invalid argument"));
}

void emit_as_run(const char* name, uint64_t events) {
    ovni_private_identity identity{};
    identity.app = 1;
    identity.loom = test_loom;
    identity.run = name;
    ovni_private_thread_open();
    ovni_private_identify(&identity);
    for (uint64_t i = 0; i < events; ++i) emit("OB.", i);
}

class RecoverJobsTest : public RuntimeTest {
 protected:
    // A program of that job that is killed, with events in a run directory: a flight recorder writes none
    // before. All of these programs have the same place in a trace.
    void kill_one(const std::string& job, int events = 10) {
        set_environment("OVNI_RUN", job);
        set_environment("OVNI_TRACEDIR", trace() / job);
        set_environment("OVNI_FLIGHT", "64k");
        run_traced([events] {
            start();
            for (int i = 0; i < events; ++i) emit("OB.", i);
            ::raise(SIGKILL);
        });
    }
    Finished ask(const Words& words) const {
        return run(Words{program("ovnirecover")} + words, {"OVNI_RUNDIR=" + home().string()});
    }
    std::vector<fs::path> left() const {
        std::vector<fs::path> found;
        for (const auto& entry : fs::directory_iterator(home() / ("ovni-" + std::to_string(::geteuid()))))
            if (entry.is_directory()) found.push_back(entry.path());
        std::ranges::sort(found);
        return found;
    }
};

TEST_F(RecoverJobsTest, JobsAreChosenByNameAndProcess) {
    kill_one("first_job");
    kill_one("second_job");
    ASSERT_EQ(left().size(), 2u);
    EXPECT_THAT(ask({"--list"}).out, AllOf(HasSubstr("job first_job, "), HasSubstr("job second_job, ")));

    const Finished several = ask({"--all"});
    EXPECT_EQ(several.status, 2);
    EXPECT_THAT(several.err, AllOf(HasSubstr("first_job, second_job"), HasSubstr("--yes")));
    EXPECT_EQ(left().size(), 2u);

    const Finished none = ask({"--job", "third_job"});
    EXPECT_EQ(none.status, 1);
    EXPECT_THAT(none.err, HasSubstr("job third_job: it has no abandoned run directory here"));

    const Finished first = ask({"--job", "first_job"});
    EXPECT_EQ(first.status, 0) << first.err;
    ASSERT_EQ(left().size(), 1u);
    EXPECT_THAT(left()[0].string(), HasSubstr("second_job"));
    const std::string name = left()[0].filename();
    EXPECT_EQ(ask({"--pid", name.substr(strlen("second_job.0."))}).status, 0);
    EXPECT_TRUE(left().empty());
}

TEST_F(RecoverJobsTest, JobsThatAreNotHereMayBeElsewhere) {
    for (const char* word : {"--list", "--all"}) {
        const Finished none = ask({word});
        EXPECT_EQ(none.status, 0) << word;
        EXPECT_EQ(none.out, "") << word;
        EXPECT_THAT(none.err,
                    HasSubstr("no run directory of yours is on this node; a job with another OVNI_RUNDIR"));
    }
}

TEST_F(RecoverJobsTest, TheNextRunNamesAJobOnce) {
    kill_one("first_job");
    kill_one("first_job");
    const Finished next = run({program("ovnirun"), "true"}, {"OVNI_RUNDIR=" + home().string()});
    const size_t at =
        next.err.find("ovnirun: programs of job first_job that have ended left events in memory, ");
    ASSERT_NE(at, next.err.npos) << next.err;
    EXPECT_THAT(next.err, AllOf(HasSubstr(" s ago, in 2 run directories, for example " + left()[0].string()),
                                HasSubstr("ovnirecover --job first_job, or --discard --job first_job\n")));
    EXPECT_EQ(next.err.find("of job first_job", at + 50), next.err.npos) << next.err;
}

TEST_F(RecoverJobsTest, JobsAreNamedOnceADayWhoeverAsks) {
    kill_one("first_job");
    const Words runs{program("ovnirun"), "true"}, place{"OVNI_RUNDIR=" + home().string()};
    EXPECT_THAT(run(runs, place).err, HasSubstr("of job first_job"));
    kill_one("second_job");
    EXPECT_THAT(run(runs, place).err, Not(HasSubstr("left events")));
    const fs::path told = home() / ("ovni-" + std::to_string(::geteuid())) / ".told";
    fs::last_write_time(told, fs::file_time_type::clock::now() - std::chrono::hours(25));
    EXPECT_THAT(run(runs, place).err, HasSubstr("of job first_job"));
}

TEST_F(RecoverJobsTest, JobsAreListedWithProgramAndTraceAndMayBeGivenUp) {
    kill_one("first_job");
    kill_one("second_job");
    fs::remove_all(trace() / "first_job");
    EXPECT_THAT(ask({"--list"}).out,
                AllOf(HasSubstr("runtime_test"), HasSubstr((trace() / "first_job").string())));
    EXPECT_EQ(ask({"--discard"}).status, 2);
    const Finished given_up = ask({"--discard", "--job", "first_job"});
    EXPECT_EQ(given_up.status, 0) << given_up.err;
    EXPECT_THAT(given_up.out, HasSubstr("1 streams given up"));
    ASSERT_EQ(left().size(), 1u);
    EXPECT_THAT(left()[0].string(), HasSubstr("second_job"));
    EXPECT_FALSE(fs::exists(trace() / "first_job"));
}

// There is nothing that the user could save.
TEST_F(RecoverJobsTest, TheNextRunEndsJobsWhoseEventsAreWritten) {
    set_environment("OVNI_RUN", "drained_job");
    run_traced([] {
        start();
        emit("OB.", 1);
        ovni_flush();
        ::raise(SIGKILL);
    });
    ASSERT_EQ(left().size(), 1u);
    const Finished next = run({program("ovnirun"), "true"}, {"OVNI_RUNDIR=" + home().string()});
    EXPECT_THAT(next.err, Not(HasSubstr("drained_job")));
    EXPECT_TRUE(left().empty());
    EXPECT_EQ(run({program("ovniemu"), trace().string()}).status, 0);
}

TEST_F(RecoverJobsTest, JobsThatFindNoRoomAreKept) {
    kill_one("first", 1000);
    const std::string command =
        "set -o pipefail; (ulimit -f 4; exec " + program("ovnirecover") + " --job first) 2>&1 | cat >&2";
    const Finished full = run({"bash", "-c", command}, {"OVNI_RUNDIR=" + home().string()});
    EXPECT_EQ(full.status, 1);
    ASSERT_EQ(left().size(), 1u);
    EXPECT_THAT(full.err, AllOf(HasSubstr("they are kept in memory until ovnirecover can write them: "),
                                HasSubstr(": File too large"),
                                HasSubstr("try again, or give them up: ovnirecover --discard '" +
                                          left()[0].string() + "'")));
    EXPECT_EQ(ask({"--job", "first"}).status, 0);
    EXPECT_TRUE(left().empty());
}

TEST_F(RecoverJobsTest, AWriteOutNeedsAName) {
    const Finished asked = ask({"--write-out"});
    EXPECT_EQ(asked.status, 2);
    EXPECT_THAT(asked.err, HasSubstr("--write-out of what?"));
    EXPECT_EQ(ask({"--pid", "12x"}).status, 2);
    EXPECT_EQ(ask({"--pid", "1", "--all"}).status, 2);
}

// MPI_Init does this; what is killed early has nothing on disk to be moved.
TEST_F(RecoverTest, ARunWhoseTraceWasMovedAwayIsFollowed) {
    for (uint64_t events : {10, 300'000}) {
        fs::remove_all(trace());
        fs::remove_all(trace().string() + ".1");
        run_traced([events] {
            emit_as_run("first", events);
            if (events > 1000) ovni_private_flush_all();
            ::raise(SIGKILL);
        });
        EXPECT_EQ(fs::exists(trace()), events > 1000);
        if (events > 1000) fs::rename(trace(), trace().string() + ".1");
        run_traced([] { emit_as_run("second", 5); });
        EXPECT_EQ(status(), 0) << printed_errors();
        Finished done = recover();
        EXPECT_EQ(done.status, 0) << done.err;
        RecordedStream second = stream();
        EXPECT_EQ(second.json["ovni"]["run"], "second");
        EXPECT_EQ(std::ranges::count(second.events, "OB.", &RecordedEvent::code), 5);
        fs::remove_all(trace());
        fs::rename(trace().string() + ".1", trace());
        RecordedStream first = stream();
        EXPECT_EQ(first.json["ovni"]["run"], "first");
        EXPECT_EQ(std::ranges::count(first.events, "OB.", &RecordedEvent::code), events);
        EXPECT_EQ(first.json["ovni"]["finished"], 1);
    }
}

// So do programs of the API, whose streams name no run.
TEST_F(RecoverTest, ATraceOfNoRunIsThatOfAnyRun) {
    run_traced([] {
        start();
        stop();
    });
    ASSERT_TRUE(fs::exists(trace()));
    run_traced([] {
        emit_as_run("first", 10);
        ::raise(SIGKILL);
    });
    const Finished done = recover();
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.err.find("another run"), done.err.npos) << done.err;
    EXPECT_FALSE(fs::exists(trace().string() + ".1"));
    EXPECT_EQ(streams().size(), 2u);
}

// A line says so, if anything has come there.
TEST_F(RecoverTest, ARunThatGoesNextToAnotherOneIsReportedIfItHasEvents) {
    run_traced([] { emit_as_run("second", 5); });
    const fs::path next = trace().string() + ".1";
    for (uint64_t events : {0, 10}) {
        run_traced([events] {
            emit_as_run("first", events);
            ::raise(SIGKILL);
        });
        const Finished done = recover();
        EXPECT_EQ(done.status, 0) << done.err;
        EXPECT_EQ(fs::exists(next), events > 0);
        const std::string line = trace().string() + " holds another run, this one is in " + next.string();
        EXPECT_EQ(done.err.find(line) != done.err.npos, events > 0) << done.err;
    }
}

// All but the last bytes were on disk, and are in the ring no longer.
TEST_F(RecoverTest, AStreamWhoseFileWasRemovedIsKeptUntilItIsBack) {
    run_traced([] {
        emit_as_run("only", 300'000);
        ovni_private_flush_all();
        ::raise(SIGKILL);
    });
    const fs::path elsewhere = home() / "elsewhere";
    fs::rename(trace(), elsewhere);
    Finished done = recover();
    EXPECT_EQ(done.status, 1);
    EXPECT_THAT(done.err, AllOf(HasSubstr("was removed, or cut off"), HasSubstr("their events are kept")));
    EXPECT_THAT(done.out, HasSubstr(": 0 streams, 0 bytes written"));
    EXPECT_FALSE(fs::exists(trace()));
    fs::rename(elsewhere, trace());
    done = recover();
    EXPECT_EQ(done.status, 0) << done.err;
    const RecordedStream found = stream();
    EXPECT_EQ(std::ranges::count(found.events, "OB.", &RecordedEvent::code), 300'000);
    EXPECT_EQ(found.json["ovni"]["finished"], 1);
}

TEST_F(RecoverTest, TheListCountsAProcessWithManyThreadsOnce) {
    run_traced([this] {
        start();
        emit("OB.");
        std::thread([this] {
            ovni_thread_init(5);
            emit("OB.");
            EXPECT_THAT(ask("--list").out, HasSubstr(" rings of 1 processes, 1 alive, "));
        }).join();
        ::exit(HasFailure());
    });
    EXPECT_EQ(status(), 0) << printed_errors();
}

// The program is killed at once: most waits in the shared buffer.
TEST_F(RecoverTest, TheListCountsWhatWaitsInSharedBuffers) {
    constexpr uint64_t events = 20'000;
    set_environment("OVNI_BUFFER_MODE", "shared");
    run_traced([] {
        start();
        for (uint64_t i = 0; i < events; ++i) emit("OB.", i);
        ::raise(SIGKILL);
    });
    Finished listed = ask("--list");
    std::string own = home().string() + "/ovni-";
    size_t line = listed.out.find(own), count = listed.out.find("alive, ", line);
    ASSERT_NE(count, std::string::npos) << listed.out;
    // The kill may have torn the last event in the stream.
    constexpr uint64_t event_bytes = 20;
    uint64_t drained = 0;
    for (const auto& entry : fs::recursive_directory_iterator(trace()))
        if (entry.path().filename() == "stream.obs") drained = (entry.file_size() - 8) / event_bytes;
    // A record has 32 bytes before its payload, of which a part is in the stream or the ring already.
    uint64_t waiting = std::stoull(listed.out.substr(count + 7)) * 1024;
    uint64_t least = (events - drained) * event_bytes;
    EXPECT_GE(waiting + 1024, least) << listed.out;
    EXPECT_EQ(recover().status, 0);
    EXPECT_EQ(stream().events.size(), events);
    EXPECT_THAT(ask("--list").out, Not(HasSubstr(own)));
}

// Drainers leave this if they die while they remove a ring.
TEST_F(RecoverTest, NotesWithoutTheirRingsKeepNoRunDirectory) {
    run_traced([] {
        start();
        emit("OB.");
        ::raise(SIGKILL);
    });
    fs::path runs = home() / ("ovni-" + std::to_string(::geteuid()));
    fs::path directory = fs::directory_iterator(runs)->path();
    for (const char* name : {"ring.77.json", "ring.78.json.new"}) std::ofstream(directory / name) << "a note";
    fs::create_symlink("/dev/shm/ovni-0/new.4194000.4026531836.1", directory / "ring.79");
    EXPECT_EQ(recover().status, 0);
    EXPECT_EQ(stream().codes(), "OB.");
    EXPECT_FALSE(fs::exists(directory));
}

// The second has no stream.json yet.
TEST_F(RecoverTest, AStreamWhoseOwnerIsKilledWhileItOpensIsEmpty) {
    for (const char* when : {"DIES_BEHIND=1", "DIES_BEFORE=1"}) {
        fs::remove_all(trace());
        Finished killed = run({BUILD_DIR "/tests/runtime_c_program"},
                              {"OVNI_TRACEDIR=" + trace().string(), "OVNI_RUNDIR=" + home().string(),
                               std::string("LD_PRELOAD=") + BUILD_DIR + "/tests/runtime_dies_at.so",
                               "DIES_AT=/stream.json", when});
        ASSERT_EQ(killed.status, 128 + SIGKILL) << killed.err;
        Finished recovered = recover();
        EXPECT_EQ(recovered.status, 0) << recovered.err;
        EXPECT_EQ(stream().codes(), "");
        EXPECT_EQ(stream().json["ovni"]["finished"], 1);
        EXPECT_EQ(stream().json["ovni"]["end"]["by"], "recovered");
        Finished emulated = run({program("ovniemu"), "-o", (home() / "out").string(), trace().string()});
        EXPECT_EQ(emulated.status, 0) << emulated.err;
    }
}

TEST_F(RecoverTest, ARunDirectoryIsNotRemovedWhileSomebodyComes) {
    fs::path directory = home() / "session";
    writer::Session drained = writer::Session::create(directory), joined = writer::Session::open(directory);
    ASSERT_TRUE(drained.is_valid() && joined.is_valid());
    std::ofstream(directory / "new.1.1") << "a ring";
    drained.remove();
    EXPECT_TRUE(fs::exists(directory / "session"));
    EXPECT_FALSE(joined.is_removed());
    fs::remove(directory / "new.1.1");
    drained.remove();
    EXPECT_FALSE(fs::exists(directory));
    EXPECT_TRUE(joined.is_removed());
}

}  // namespace
}  // namespace ovni::test
