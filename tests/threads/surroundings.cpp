// Programs in surroundings that tracers do not expect: another root, no /proc, no working directory, ovnirun
// below ovnirun, statuses of more than a byte.
#include <unistd.h>

#include <filesystem>

#include "tests/support/launcher_of_tests.hpp"
#include "tests/threads/rows_test.hpp"

namespace ovni::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const Words without_proc{"unshare", "-m", "sh", "-c", "umount -l /proc || exit 77; exec \"$@\"", "sh"};

class Surroundings : public Rows {
 protected:
    std::string jail() const {
        fs::create_directory(output("jail"));
        return output("jail");
    }
    // Runs the words in a directory that is gone.
    Words in_removed_directory() const {
        const std::string gone = output("gone");
        return {"sh", "-c", "mkdir " + gone + " && cd " + gone + " && rmdir " + gone + " && exec \"$@\"",
                "sh"};
    }
};

class OtherRoot : public Surroundings {
 protected:
    void SetUp() override {
        if (::geteuid() != 0) GTEST_SKIP() << "only root may change its root";
        if (*OVNI_SANITIZE) GTEST_SKIP() << "sanitizers read /proc at the end";
    }
};

TEST_F(OtherRoot, ThreadsOfAfterwardsAreThere) {
    const Finished done = traced({}, target("in_chroot", jail()));
    ASSERT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.err, "");
    expect_whole_rows(4);
    EXPECT_TRUE(fs::is_empty(jail()));
}

TEST_F(OtherRoot, ThreadsOfAfterwardsAreThereWithoutOvnirun) {
    const Finished done = run(target("in_chroot", jail()), {"LD_PRELOAD=" BUILD_DIR "/lib/libovni-threads.so",
                                                            "OVNI_TRACEDIR=" + trace()});
    ASSERT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.err, "");
    EXPECT_EQ(rows().size(), 4u);
    expect_accepted();
    EXPECT_TRUE(fs::is_empty(jail()));
}

// A program may close the descriptor of its first root.
TEST_F(OtherRoot, WhatIsLostWithItsDescriptorIsToldOnce) {
    const Finished done = traced({}, target("in_closed_chroot", jail()));
    ASSERT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(done.err, HasSubstr("no memory for the events of thread"));
    EXPECT_EQ(done.err.find("no memory"), done.err.rfind("no memory"));
    EXPECT_EQ(rows().size(), 1u);
    expect_accepted();
    EXPECT_TRUE(fs::is_empty(jail()));
}

TEST_F(OtherRoot, ARefusedChangeLeavesNoDescriptor) {
    const Finished done = traced({}, target("refused_chroot", output("nowhere")));
    EXPECT_EQ(done.status, 0) << done.err;
    expect_whole_rows(1);
}

TEST_F(Surroundings, NothingIsLostWithoutProc) {
    const Finished done = traced({}, target("at_once", "3"), without_proc);
    if (done.status != 0) GTEST_SKIP() << "no namespace of mounts: " << done.err;
    EXPECT_EQ(done.err, "");
    expect_whole_rows(4);
}

TEST_F(Surroundings, ChildrenEndWithoutProc) {
    const Finished done = traced({}, target("child_exits", "259"), without_proc);
    if (done.status == 77 || done.status == 1) GTEST_SKIP() << "no namespace of mounts: " << done.err;
    EXPECT_EQ(done.status, 3) << done.err;
    EXPECT_EQ(rows().size(), 2u);
    expect_accepted();
}

TEST_F(Surroundings, ARemovedWorkingDirectoryDoesNotMatterToATraceElsewhere) {
    const Finished done = traced({}, target("at_once", "3"), in_removed_directory());
    ASSERT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.err, "");
    expect_whole_rows(4);
}

TEST_F(Surroundings, ARemovedWorkingDirectoryHasNoRoomForATrace) {
    for (const Words& options : {Words{}, {"-o", "trace"}}) {
        const Finished done = run(in_removed_directory() + Words{program("ovnirun")} + options +
                                  Words{"touch", output("was_run")});
        EXPECT_EQ(done.status, 1);
        EXPECT_THAT(done.err,
                    HasSubstr("lies in the working directory, which was removed): the program was not "
                              "run, name another directory with -o DIR"));
        EXPECT_FALSE(fs::exists(output("was_run")));
    }
}

TEST_F(Surroundings, AWorkingDirectoryMayBeRemovedMeanwhile) {
    const std::string gone = output("gone");
    fs::create_directory(gone);
    const Finished done =
        traced({}, {"sh", "-c", "rmdir " + gone + " && exec " BUILD_DIR "/tests/threads_target at_once 3"},
               {"env", "-C", gone});
    ASSERT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.err, "");
    expect_accepted();
    EXPECT_FALSE(fs::exists(gone));
}

TEST_F(Surroundings, StatusesAreThoseThatAShellShows) {
    for (const auto& [given, shown] : {std::pair{"259", 3}, {"-1", 255}, {"256", 0}}) {
        std::filesystem::remove_all(trace());
        const Finished done = traced({}, target("child_exits", given));
        EXPECT_EQ(done.status, shown) << done.err;
        expect_whole_rows(2);
    }
}

TEST_F(Surroundings, OvnirunBelowOvnirunGoesOnWithItsTrace) {
    const std::string inner =
        program("ovnirun") + " -o " + trace() + " " BUILD_DIR "/tests/threads_target at_once 3";
    const Finished done = traced({}, {"sh", "-c", inner + " && " + inner + "; exit 0"});
    ASSERT_EQ(done.status, 0) << done.err;
    EXPECT_GE(rows().size(), 9u);
    expect_accepted();
    EXPECT_FALSE(fs::exists(trace() + ".1"));
}

#ifdef OVNI_TEST_MPI
TEST_F(Surroundings, RanksMayChangeTheirRoots) {
    if (::geteuid() != 0 || *OVNI_SANITIZE) GTEST_SKIP() << "only root may change its root";
    const Finished done = traced({}, target("in_chroot", jail()), {launcher(), "-n", "2"});
    ASSERT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(rows().size(), 8u);
    expect_accepted();
}
#endif

}  // namespace
}  // namespace ovni::test
