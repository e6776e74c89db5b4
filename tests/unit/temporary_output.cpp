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
    TemporaryDirectory directory_;
};

TEST_F(TemporaryOutputTest, IsRemovedIfItsWriterIsDead) {
    put("thread.prv.tmp.1");
    fs::create_directories(path("thread.prv.tmp.22/below"));
    for (const char* name : {"thread.prv.tmp.x", "thread.prv.tmp.", "cpu.prv.tmp.1", "thread.prv"}) put(name);
    fs::create_symlink("thread.prv", path("thread.prv.tmp.3"));
    remove_left_over(path("thread.prv"));
    EXPECT_FALSE(fs::exists(path("thread.prv.tmp.1")));
    EXPECT_FALSE(fs::exists(path("thread.prv.tmp.22")));
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
    fs::path left = path("thread.prv.tmp." + std::to_string(child));
    EXPECT_TRUE(fs::exists(left));
    EXPECT_TRUE(fs::exists(first.beside()));
    first.commit();
    EXPECT_EQ(read_file(path("thread.prv")), "new");
    OutputFile third(path("thread.prv"));
    EXPECT_FALSE(fs::exists(left));
}

TEST_F(TemporaryOutputTest, OfOneNameHasOneWriter) {
    OutputFile first(path("thread.prv"));
    first.write("first");
    EXPECT_THROW(OutputFile(path("thread.prv")), Error);
    EXPECT_EQ(read_file(first.beside()), "first");
}

}  // namespace

}  // namespace ovni::test
