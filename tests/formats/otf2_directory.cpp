// The directory of an OTF2 archive: other files in it stay, and links of other users are not followed.
#include <unistd.h>

#include <fstream>

#include "base/file.hpp"
#include "tests/formats/formats.hpp"
#include "tests/mpi/emulator_test.hpp"

namespace ovni::test {
namespace {

using testing::UnorderedElementsAre;

class Otf2DirectoryTest : public DistributedTest {
 protected:
    void SetUp() override {
        if (const std::string missing = what_is_missing(formats[1]); !missing.empty())
            GTEST_SKIP() << missing;
        build(trace_, {.seed = 51, .looms = 1, .events = 200});
        directory_ = trace_.write();
        fs::create_directories(output("out"));
    }
    Finished written(const std::string& archive) {
        return serial(directory_, output("out"), {formats[1].option(), archive});
    }
    static void expect_readable(const fs::path& archive) {
        const Finished printed = run({"otf2-print", (archive / "traces.otf2").string()});
        EXPECT_EQ(printed.status, 0) << printed.err;
    }
    static std::vector<std::string> names_in(const fs::path& directory) {
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(directory)) names.push_back(entry.path().filename());
        return names;
    }

 private:
    fs::path directory_;
};

TEST_F(Otf2DirectoryTest, MayHaveASlashAtItsEnd) {
    const fs::path archive = output("out") / "archive";
    for (int times = 0; times < 2; ++times) {
        const Finished done = written(archive.string() + "/");
        EXPECT_EQ(done.status, 0) << done.err;
        expect_readable(archive);
    }
    EXPECT_THAT(names_in(archive), UnorderedElementsAre("traces.otf2", "traces.def", "traces"));
}

TEST_F(Otf2DirectoryTest, KeepsTheFilesOfItsUser) {
    const fs::path archive = output("out") / "archive";
    ASSERT_EQ(written(archive).status, 0);
    write_file(archive / "notes.txt", "mine");
    write_file(archive / "traces" / "notes.txt", "mine, too");
    write_file(archive / "traces" / "9999.evt", "of an earlier archive");
    const Finished again = written(archive);
    EXPECT_EQ(again.status, 0) << again.err;
    EXPECT_EQ(read_file(archive / "notes.txt"), "mine");
    EXPECT_EQ(read_file(archive / "traces" / "notes.txt"), "mine, too");
    EXPECT_FALSE(fs::exists(archive / "traces" / "9999.evt"));
    expect_readable(archive);
}

TEST_F(Otf2DirectoryTest, LeavesAloneWhereALinkOfAnotherUserLeadsTo) {
    if (::geteuid() != 0) GTEST_SKIP() << "links of other users are made as root";
    const fs::path precious = output("out") / "precious", archive = output("out") / "archive";
    ASSERT_EQ(written(precious).status, 0);
    fs::create_directory_symlink(precious, archive);
    constexpr uid_t nobody = 65534;
    ASSERT_EQ(::lchown(archive.c_str(), nobody, nobody), 0);
    const auto before = fs::last_write_time(precious / "traces.otf2");
    const Finished done = written(archive);
    EXPECT_EQ(done.status, 1);
    EXPECT_THAT(done.err, HasSubstr("is a symbolic link of another user"));
    EXPECT_EQ(fs::last_write_time(precious / "traces.otf2"), before);
}

}  // namespace
}  // namespace ovni::test
