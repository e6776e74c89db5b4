// Programs of one job in different working directories.
#include <gmock/gmock.h>

#include "tests/mpi/traced.hpp"

namespace ovni::test {

using testing::HasSubstr;
using testing::Not;

class TraceDirectories : public TracedTest {
 protected:
    TraceDirectories() {
        prepare_for_mpirun();
        for (const char* name : {"a", "b"}) std::filesystem::create_directory(path(name));
    }
    // Two ranks in each directory.
    Finished job(const std::string& directory) const {
        Words words{launcher()};
        for (const char* name : {"a", "b"}) {
            if (words.size() > 1) words = words + Words{":"};
            words = words + Words{"-n", "2",       "-wdir",       path(name), program("ovnirun"),
                                  "-o", directory, app("rounds"), "20"};
        }
        return run(words, {}, 120);
    }
    static size_t warnings(const Finished& done) {
        size_t found = 0;
        const std::string words = "write to two trace directories";
        for (size_t at = 0; (at = done.err.find(words, at)) != std::string::npos; ++at) ++found;
        return found;
    }
};

TEST_F(TraceDirectories, DirectoriesThatDependOnTheWorkingDirectoryAreReportedOnce) {
    const Finished done = job("ovni");
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(warnings(done), 1u) << done.err;
    EXPECT_THAT(done.err, HasSubstr(path("a") + "/ovni"));
    EXPECT_THAT(done.err, HasSubstr(path("b") + "/ovni"));
    EXPECT_THAT(done.err, HasSubstr("name one for all by its full path, as ovnirun -o /"));
}

TEST_F(TraceDirectories, MayBeOneByItsPathOrByALink) {
    const Finished done = job(trace_directory());
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(warnings(done), 0u) << done.err;
    EXPECT_EQ(streams().size(), 4u);
    std::filesystem::create_directory(path("common"));
    for (const char* name : {"a", "b"})
        std::filesystem::create_directory_symlink(path("common"), path(name) + "/linked");
    EXPECT_EQ(warnings(job("linked/ovni")), 0u);
}

TEST_F(TraceDirectories, MayBeThoseOfTheRanks) {
    const Finished done = job(path("ovni.%r"));
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(warnings(done), 0u) << done.err;
}

}  // namespace ovni::test
