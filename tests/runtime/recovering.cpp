// What ovnirecover says of run directories, and when they go.
#include <gmock/gmock.h>
#include <signal.h>

#include <fstream>

#include "ovni/emit.hpp"
#include "runtime/runtime_test.hpp"
#include "runtime/session.hpp"

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
    Session drained = Session::create(directory), joined = Session::open(directory);
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
