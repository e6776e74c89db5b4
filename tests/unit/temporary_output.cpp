// Temporary outputs: those of killed programs, and those of live ones.
#include "base/temporary_output.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "base/error.hpp"
#include "base/file.hpp"
#include "tests/support/temporary_directory.hpp"

namespace ovni::test {

namespace {

namespace fs = std::filesystem;

class TemporaryOutputTest : public ::testing::Test {
 protected:
    fs::path path(const std::string& name) const { return directory_.path() / name; }
    void put(const std::string& name) const { std::ofstream(path(name)) << "old"; }
    std::string with_prefix(const std::string& begin) const {
        for (const auto& entry : fs::directory_iterator(directory_.path()))
            if (entry.path().filename().native().starts_with(begin)) return entry.path().filename();
        return "";
    }
    TemporaryDirectory directory_;
};

TEST_F(TemporaryOutputTest, OutputsOfDeadWritersAreRemoved) {
    put("thread.prv.tmp.1");
    fs::create_directories(path("thread.prv.tmp.22/below"));
    put("thread.prv.tmp.333.18446744073709551615");
    for (const char* name : {"thread.prv.tmp.x", "thread.prv.tmp.", "cpu.prv.tmp.1", "thread.prv"}) put(name);
    fs::create_symlink("thread.prv", path("thread.prv.tmp.3"));
    remove_left_over(path("thread.prv"));
    EXPECT_FALSE(fs::exists(path("thread.prv.tmp.1")));
    EXPECT_FALSE(fs::exists(path("thread.prv.tmp.22")));
    EXPECT_FALSE(fs::exists(path("thread.prv.tmp.333.18446744073709551615")));
    for (const char* name :
         {"thread.prv.tmp.x", "thread.prv.tmp.", "cpu.prv.tmp.1", "thread.prv", "thread.prv.tmp.3"})
        EXPECT_TRUE(fs::exists(path(name))) << name;
}

TEST_F(TemporaryOutputTest, StaysWhileItsWriterLives) {
    OutputFile first(path("thread.prv"));
    first.write("new");
    // Another program of that output, which dies.
    const pid_t child = ::fork();
    if (child == 0) {
        OutputFile second(path("thread.prv"));
        ::_exit(second.beside() == first.beside() ? 1 : 0);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    const std::string begin = "thread.prv.tmp." + std::to_string(child) + ".";
    const std::string name = with_prefix(begin);
    ASSERT_NE(name, "");
    const fs::path left = path(name);
    EXPECT_TRUE(fs::exists(first.beside()));
    first.commit();
    EXPECT_EQ(read_file(path("thread.prv")), "new");
    OutputFile third(path("thread.prv"));
    EXPECT_FALSE(fs::exists(left));
}

TEST_F(TemporaryOutputTest, OneNameHasOneWriter) {
    OutputFile first(path("thread.prv"));
    first.write("first");
    EXPECT_THROW(OutputFile(path("thread.prv")), Error);
    EXPECT_EQ(read_file(first.beside()), "first");
}

// Somebody may put a link where the file is to be made.
TEST_F(TemporaryOutputTest, EachNameIsNewAndNoLinkIsFollowed) {
    EXPECT_NE(temporary_name(path("thread.prv")), temporary_name(path("thread.prv")));
    put("precious");
    const fs::path name = temporary_name(path("thread.prv"));
    fs::create_symlink("precious", name);
    EXPECT_FALSE(make_new_file(name));
    EXPECT_THROW(make_new_directory(name, path("thread.prv")), Error);
    EXPECT_EQ(read_file(path("precious")), "old");
}

TEST_F(TemporaryOutputTest, ReplacesWhatALinkOfTheCallerLeadsTo) {
    fs::create_directories(path("elsewhere"));
    put("elsewhere/thread.prv");
    fs::create_symlink("elsewhere/thread.prv", path("second"));
    fs::create_symlink("second", path("thread.prv"));
    write_file(path("thread.prv"), "new");
    EXPECT_TRUE(fs::is_symlink(path("thread.prv")));
    EXPECT_EQ(read_file(path("elsewhere/thread.prv")), "new");
}

TEST_F(TemporaryOutputTest, LeavesAloneWhatALinkOfAnotherUserLeadsTo) {
    if (::geteuid() != 0) GTEST_SKIP() << "links of other users are made as root";
    constexpr uid_t nobody = 65534;
    put("precious");
    fs::create_symlink("precious", path("thread.prv"));
    ASSERT_EQ(::lchown(path("thread.prv").c_str(), nobody, nobody), 0);
    EXPECT_THROW(write_file(path("thread.prv"), "new"), Error);
    EXPECT_EQ(read_file(path("precious")), "old");
}

}  // namespace

}  // namespace ovni::test
