// What ovnirecover says of run directories, and when they go.
#include <gmock/gmock.h>
#include <signal.h>

#include <fstream>

#include "ovni/emit.hpp"
#include "ovni/private.h"
#include "ring/session.hpp"
#include "tests/runtime/runtime_test.hpp"

namespace ovni::test {
namespace {

namespace fs = std::filesystem;
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

// As MPI_Init does it; what is killed early has nothing on disk to be moved.
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
    RecordedStream before = stream();
    // A record has 32 bytes before its payload, of which a part is in the stream or the ring already.
    uint64_t waiting = std::stoull(listed.out.substr(count + 7)) * 1024;
    uint64_t least = (events - before.events.size()) * 20;
    EXPECT_GE(waiting + 1024, least) << listed.out;
    EXPECT_EQ(recover().status, 0);
    EXPECT_EQ(stream().events.size(), events);
    EXPECT_THAT(ask("--list").out, Not(HasSubstr(own)));
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
