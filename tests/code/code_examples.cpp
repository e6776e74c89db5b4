// The examples of `ovnirun --help control`, one for each kind of alarm, run as they stand there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/code/controlled.hpp"

namespace ovni::test {

namespace {

// The lines of code under the heading.
Words examples() {
    std::istringstream help(run({program("ovnirun"), "--help", "control"}).out);
    Words all;
    bool is_here = false;
    for (std::string line; std::getline(help, line);) {
        if (line == "One of each") is_here = true;
        if (line == "When recording begins") is_here = false;
        const size_t begin = line.find("ovnirun --control ");
        if (is_here && begin != line.npos) all.push_back(line.substr(begin));
    }
    return all;
}

Words words_of(const std::string& line) {
    std::istringstream stream(line);
    Words words;
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
}

class Examples : public ControlledProgram {};

TEST_F(Examples, EveryExampleFires) {
    const std::string untouched = run({BUILD_DIR "/tests/apps/alarms"}).out;
    std::set<std::string> kinds;
    for (const std::string& line : examples()) {
        Words words = words_of(line);
        const std::string chain = words.at(2);
        if (chain.find("interactive") != chain.npos) continue;
        words.erase(words.begin(), words.begin() + 3);
        ASSERT_EQ(words.front(), "./app");
        words.front() = BUILD_DIR "/tests/apps/alarms";
        const Finished done = controlled({chain}, words);
        EXPECT_EQ(done.status, 0) << line << done.err;
        EXPECT_EQ(done.out, untouched) << line;
        const Words all = fired();
        ASSERT_FALSE(all.empty()) << line;
        const std::string last = chain.substr(chain.find(',') == chain.npos ? 0 : chain.find(',') + 1);
        EXPECT_EQ(all.front(), last);
        const std::string kind = last.starts_with("uniform") ? last : last.substr(last.find(':') + 1);
        kinds.insert(kind.substr(0, kind.find(':')));
    }
    EXPECT_THAT(kinds,
                testing::UnorderedElementsAre("mpi", "slowcall", "pcontrol", "timeout", "address",
                                              "enter_func", "exit_func", "ssc", "magic", "cpuid", "int3",
                                              "icount", "uniform", "itext", "isa-extension", "isa-category"));
}

}  // namespace

}  // namespace ovni::test
