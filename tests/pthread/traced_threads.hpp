// Programs with threads, run as they are and traced.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/process.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/words.hpp"

namespace ovni::test {

class TracedThreads : public ::testing::Test {
 protected:
    static std::string target(const std::string& name) { return BUILD_DIR "/tests/" + name; }
    std::string path(const std::string& name) const { return directory_.path() / name; }
    std::string trace() const { return path("ovni"); }

    Finished traced(const std::string& mode, const Words& words, const Words& environment = {}) const {
        std::filesystem::remove_all(trace());
        return run(Words{program("ovnirun"), "-o", trace(), "--pthread", mode} + words, environment, 120);
    }
    // Any stream has waits in it.
    bool has_waits() const {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(trace()))
            if (entry.path().filename() == "stream.json" && nlohmann::json::parse(std::ifstream(entry.path()))
                                                                .at("/ovni/require"_json_pointer)
                                                                .contains("pthread"))
                return true;
        return false;
    }
    // The lines that threads print come in any order.
    static std::vector<std::string> sorted_lines(const std::string& text) {
        std::vector<std::string> lines;
        std::istringstream stream(text);
        for (std::string line; std::getline(stream, line);) lines.push_back(line);
        std::ranges::sort(lines);
        return lines;
    }
    // In linter mode, where states of a thread that ends must be closed. A stream may end with its process.
    void expect_accepted() const {
        Finished done = run({program("ovniemu"), "-l", trace()}, {}, 120);
        std::istringstream stream(done.out + done.err);
        for (std::string line; std::getline(stream, line);)
            if (line.find("ERROR") != line.npos && line.find("not ended by the program") == line.npos) {
                EXPECT_NE(line.find("emulation finished with errors"), line.npos) << line;
            }
        EXPECT_EQ(run({program("ovniemu"), trace()}, {}, 120).status, 0);
    }
    std::string dump() const { return run({program("ovnidump"), trace()}, {}, 120).out; }
    nlohmann::json report() const {
        Finished done = run({program("ovniemu"), "--report", path("report.json"), trace()}, {}, 120);
        EXPECT_EQ(done.status, 0) << done.err;
        return nlohmann::json::parse(std::ifstream(path("report.json")));
    }

 private:
    TemporaryDirectory directory_;
};

}  // namespace ovni::test
