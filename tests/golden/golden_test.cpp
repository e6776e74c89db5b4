// Runs the emulator on every trace below cases/ and compares what it writes with what is expected there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "tests/support/temporary_directory.hpp"

namespace ovni {
namespace {

namespace fs = std::filesystem;

const fs::path golden = fs::path(SOURCE_DIR) / "tests/golden";
const fs::path programs = fs::path(BUILD_DIR) / "bin";

struct Case {
    fs::path path;
    friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.path.filename(); }
};

std::vector<Case> find_cases() {
    std::vector<Case> cases;
    for (const auto& entry : fs::directory_iterator(golden / "cases")) cases.push_back({entry.path()});
    std::sort(cases.begin(), cases.end(), [](const Case& a, const Case& b) { return a.path < b.path; });
    return cases;
}

std::vector<Case> find_unsorted_cases() {
    std::vector<Case> cases = find_cases();
    std::erase_if(cases, [](const Case& c) {
        return !nlohmann::json::parse(read_file(c.path / "case.json"))["sort"].get<bool>();
    });
    return cases;
}

struct Outcome {
    int status = 0;
    std::string text;  // stdout and stderr
};

class GoldenTest : public testing::TestWithParam<Case> {
 protected:
    GoldenTest() {
        trace = directory / "trace";
        fs::copy(GetParam().path / "trace", trace, fs::copy_options::recursive);
        about = nlohmann::json::parse(read_file(GetParam().path / "case.json"));
    }

    Outcome run(const std::vector<std::string>& words) const {
        std::string command;
        for (const std::string& word : words) command += "'" + word + "' ";
        command += "> '" + (directory / "said").string() + "' 2>&1";
        int status = std::system(command.c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
                read_file(directory / "said")};
    }

    Outcome emulate(std::initializer_list<std::string> more = {}) const {
        std::vector<std::string> words{programs / "ovniemu"};
        for (const std::string word : about["emulator_args"]) words.push_back(word);
        words.insert(words.end(), more);
        words.push_back(trace);
        return run(words);
    }

    void sort_if_asked() const {
        if (!about["sort"].get<bool>()) return;
        Outcome sorted = run({programs / "ovnisort", trace});
        ASSERT_EQ(sorted.status, 0) << sorted.text;
    }

    std::vector<std::string> expected_files(const std::string& extension) const {
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(GetParam().path / "expected"))
            if (entry.path().extension() == extension) names.push_back(entry.path().filename());
        return names;
    }

    test::TemporaryDirectory temporary_;
    const fs::path directory = temporary_.path();
    fs::path trace;
    nlohmann::json about;
};

class UnsortedTest : public GoldenTest {};

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

bool some_line_has(const std::string& text, const std::vector<std::string>& words) {
    std::istringstream lines(lower(text));
    for (std::string line; std::getline(lines, line);) {
        auto in_line = [&](const std::string& word) { return line.find(lower(word)) != std::string::npos; };
        if (std::all_of(words.begin(), words.end(), in_line)) return true;
    }
    return false;
}

TEST_P(GoldenTest, Agrees) {
    ASSERT_NO_FATAL_FAILURE(sort_if_asked());
    Outcome emulated = emulate();
    if (!about["accepted"].get<bool>()) {
        EXPECT_EQ(emulated.status, 1) << emulated.text;
        EXPECT_TRUE(some_line_has(emulated.text, about["names"]))
            << "no line names " << about["names"] << ":\n"
            << emulated.text;
        return;
    }
    ASSERT_EQ(emulated.status, 0) << emulated.text;
    for (const std::string& name : expected_files(".prv")) {
        Outcome compared = run({golden / "prvdiff", GetParam().path / "expected" / name, trace / name});
        EXPECT_EQ(compared.status, 0) << name << ":\n" << compared.text;
    }
}

// The trace itself stays as it is with --sort: it may lie where nobody can write.
TEST_P(UnsortedTest, SortsWhileReading) {
    std::string plain = (directory / "plain").string(), output = (directory / "out").string();
    fs::copy(trace, plain, fs::copy_options::recursive);
    ASSERT_EQ(run({"chmod", "-R", "a-w", trace}).status, 0);
    Outcome emulated = emulate({"--sort", "-o", output});
    EXPECT_EQ(run({"diff", "-r", plain, trace}).text, "");
    ASSERT_EQ(run({"chmod", "-R", "u+w", trace}).status, 0);
    ASSERT_EQ(emulated.status, 0) << emulated.text;
    ASSERT_NO_FATAL_FAILURE(sort_if_asked());
    ASSERT_EQ(emulate().status, 0);
    for (const std::string& name : expected_files(".prv")) {
        EXPECT_EQ(run({golden / "prvdiff", GetParam().path / "expected" / name, output + "/" + name}).status,
                  0);
        EXPECT_EQ(run({"cmp", trace / name, output + "/" + name}).text, "");
    }
}

// A limit of the size of files stands in for a disk that fills up.
TEST(OvniemuTest, FullDiskIsAnErrorAndLeavesNothingThatLooksWhole) {
    const test::TemporaryDirectory temporary;
    const fs::path& directory = temporary.path();
    fs::copy(golden / "cases/mpi-func/trace", directory / "trace", fs::copy_options::recursive);
    std::string command = "cd '" + directory.string() + "' && ulimit -f 20 && '" +
                          (programs / "ovniemu").string() + "' trace > said 2>&1";
    int status = std::system(command.c_str());
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << status;
    std::string said = read_file(directory / "said");
    EXPECT_TRUE(some_line_has(said, {"cannot write", ".prv"})) << said;
    for (const auto& entry : fs::directory_iterator(directory / "trace"))
        EXPECT_NE(entry.path().extension(), ".prv") << entry.path();
}

std::string name_of(const testing::TestParamInfo<Case>& chosen) {
    std::string name = chosen.param.path.filename();
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Cases, GoldenTest, testing::ValuesIn(find_cases()), name_of);
INSTANTIATE_TEST_SUITE_P(Cases, UnsortedTest, testing::ValuesIn(find_unsorted_cases()), name_of);

}  // namespace
}  // namespace ovni
