// Root recovers run directories of others: with their rights, so nothing that they may prepare does harm.
#include <gmock/gmock.h>
#include <grp.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "ovni/emit.hpp"
#include "tests/runtime/runtime_test.hpp"

namespace ovni::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr uid_t nobody = 65534;
constexpr gid_t no_group = 65534;

class RecoverOfOthers : public RuntimeTest {
 protected:
    void SetUp() override {
        if (::geteuid() != 0) GTEST_SKIP() << "only root recovers what belongs to others";
        ASSERT_EQ(::chown(home().c_str(), nobody, no_group), 0);
    }
    // A program of nobody is killed and leaves a run directory.
    void leave_run_directory() {
        run_traced([] {
            if (::setgroups(0, nullptr) != 0 || ::setgid(no_group) != 0 || ::setuid(nobody) != 0) ::exit(1);
            start();
            for (uint64_t i = 1; i <= 1000; ++i) emit("OB.", i);
            ::raise(SIGKILL);
        });
        ASSERT_EQ(status(), 128 + SIGKILL) << printed_errors();
        for (const auto& entry : fs::directory_iterator(home() / ("ovni-" + std::to_string(nobody))))
            directory_ = entry.path();
        ASSERT_TRUE(fs::exists(directory_ / "session"));
    }
    Finished recover_as_root(const fs::path& directory) const {
        return run({program("ovnirecover"), directory.string()});
    }
    // Replaces the root of the trace in the notes of the rings.
    void send_trace_to(const fs::path& place) const {
        for (const auto& entry : fs::directory_iterator(directory_)) {
            if (entry.path().extension() != ".json") continue;
            std::string text = file_content(entry.path());
            text.replace(0, text.find('\0'), place.string());
            std::ofstream(entry.path()) << text;
        }
    }

    fs::path directory_;
    TemporaryDirectory roots_;
};

TEST_F(RecoverOfOthers, WhatIsWrittenBelongsToThem) {
    leave_run_directory();
    Finished done = recover_as_root(directory_);
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(done.out, HasSubstr("1 streams"));
    EXPECT_EQ(stream().events.size(), 1000u);
    struct stat written {};
    ASSERT_EQ(::stat((stream().directory / "stream.json").c_str(), &written), 0);
    EXPECT_EQ(written.st_uid, nobody);
    EXPECT_EQ(written.st_gid, no_group);
    EXPECT_FALSE(fs::exists(directory_));
}

TEST_F(RecoverOfOthers, NothingOfRootIsRemovedOrWritten) {
    set_environment("OVNI_FLIGHT", "1M");  // nothing is written before
    leave_run_directory();
    std::ofstream(roots_.path() / "precious") << "text";
    fs::create_directory(roots_.path() / "secret");
    // The number in its name is of no process.
    fs::create_symlink(roots_.path() / "precious", directory_ / "new.4194000.4026531836.1");
    send_trace_to(roots_.path() / "secret" / "trace");
    Finished done = recover_as_root(directory_);
    EXPECT_EQ(done.status, 1);
    EXPECT_THAT(done.err, HasSubstr("Permission denied"));
    EXPECT_TRUE(fs::exists(roots_.path() / "precious"));
    EXPECT_TRUE(fs::is_empty(roots_.path() / "secret"));
}

TEST_F(RecoverOfOthers, ALinkOfTheirsIsRemovedAndNotFollowed) {
    leave_run_directory();
    std::ofstream(home() / "precious") << "text";
    ASSERT_EQ(::chown((home() / "precious").c_str(), nobody, no_group), 0);
    fs::create_symlink(home() / "precious", directory_ / "new.4194000.4026531836.1");
    EXPECT_EQ(recover_as_root(directory_).status, 0);
    EXPECT_TRUE(fs::exists(home() / "precious"));
    EXPECT_FALSE(fs::exists(directory_));
}

TEST_F(RecoverOfOthers, ADirectoryThatMakesNoSenseIsRefused) {
    leave_run_directory();
    fs::create_directory_symlink(directory_, home() / "link");
    Finished linked = recover_as_root(home() / "link");
    EXPECT_EQ(linked.status, 1);
    EXPECT_THAT(linked.err, HasSubstr("link: is a link, name the run directory itself"));
    fs::permissions(directory_, fs::perms(0770));
    Finished open = recover_as_root(directory_);
    EXPECT_EQ(open.status, 1);
    EXPECT_THAT(open.err, HasSubstr("can be written by others than its owner"));
    fs::permissions(directory_, fs::perms(0700));
    ASSERT_EQ(::chown(home().c_str(), nobody - 1, no_group), 0);
    Finished elsewhere = recover_as_root(directory_);
    EXPECT_EQ(elsewhere.status, 1);
    EXPECT_THAT(elsewhere.err, HasSubstr("others can change what lies in " + home().string() +
                                         ": run ovnirecover as user 65534"));
    EXPECT_TRUE(fs::exists(directory_ / "ring.0"));
}

}  // namespace
}  // namespace ovni::test
