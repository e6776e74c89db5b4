// What ovnirecover says of run directories.
#include <gmock/gmock.h>
#include <signal.h>

#include <fstream>

#include "ovni/emit.hpp"
#include "runtime/runtime_test.hpp"

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

// A drainer that is stopped moves nothing: all waits in the shared buffer.
TEST_F(RecoverTest, TheListCountsWhatWaitsInSharedBuffers) {
    constexpr uint64_t events = 20'000;
    set_environment("OVNI_BUFFER_MODE", "shared");
    set_environment("OVNI_LIST", program("ovnirecover") + " --list");
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

}  // namespace
}  // namespace ovni::test
