#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <string>

namespace ovni {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct ProgramOutcome {
    int status = 0;
    std::string text;
};

ProgramOutcome run(const std::string& arguments) {
    ProgramOutcome outcome;
    std::string command = std::string(BUILD_DIR) + "/bin/ovnievents " + arguments + " 2>&1";
    FILE* pipe = ::popen(command.c_str(), "r");
    if (!pipe) return {-1, "no pipe"};
    char part[4096];
    for (size_t n; (n = std::fread(part, 1, sizeof part, pipe)) > 0;) outcome.text.append(part, n);
    int status = ::pclose(pipe);
    outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return outcome;
}

size_t count(const std::string& text, const std::string& part) {
    size_t found = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

TEST(Ovnievents, ListsTheEventsOfEveryModel) {
    ProgramOutcome outcome = run("");
    ASSERT_EQ(outcome.status, 0) << outcome.text;
    EXPECT_THAT(outcome.text, StartsWith("# "));
    EXPECT_THAT(outcome.text, HasSubstr("\nBuilt on 2"));
    size_t ovni = outcome.text.find("\n## Model ovni\n"), mpi = outcome.text.find("\n## Model mpi\n");
    ASSERT_NE(ovni, std::string::npos);
    ASSERT_LT(mpi, ovni) << "models stand in the order of their ids";
    EXPECT_EQ(count(outcome.text, "<dl>"), count(outcome.text, "</dl>"));
    EXPECT_EQ(count(outcome.text, "<dt>"), count(outcome.text, "<dd>"));
    for (const char* part :
         {"<pre>OHx(i32 cpu, i32 tid, u64 tag)</pre>", "id=\"MUi\"", "<dd>begin: MPI_Init</dd>"})
        EXPECT_THAT(outcome.text, HasSubstr(part));
}

TEST(Ovnievents, OddUseIsRefused) {
    EXPECT_EQ(run("--help").status, 0);
    EXPECT_EQ(run("word").status, 2);
    EXPECT_EQ(run("--nonsense").status, 2);
}

}  // namespace
}  // namespace ovni
