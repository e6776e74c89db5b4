// A program below ovnirun with chains, and the log of what fired.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "tests/support/process.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/words.hpp"

namespace ovni::test {

class ControlledProgram : public ::testing::Test {
 protected:
    // The words begin with options, if there are any.
    Finished controlled(const Words& chains, const Words& words, const Words& environment = {}) const {
        std::filesystem::remove(path("log"));
        Words options;
        for (const std::string& chain : chains) options = options + Words{"--control", chain};
        return run(
            Words{program("ovnirun"), "-o", path("ovni"), "--control-log", path("log")} + options + words,
            Words{"OVNI_RUNDIR=" + path("")} + environment);
    }
    // The alarms that fired, in their order.
    Words fired() const { return column(6); }
    Words threads_that_fired() const { return column(3); }
    // The instructions before which they fired.
    Words fired_at() const { return column(8); }
    std::string path(const std::string& name) const { return directory_.path() / name; }

 private:
    Words column(int wanted) const {
        std::ifstream file(path("log"));
        Words all;
        for (std::string line; std::getline(file, line);) {
            std::istringstream columns(line);
            std::string column;
            for (int i = 0; i <= wanted; ++i) std::getline(columns, column, '\t');
            all.push_back(column);
        }
        return all;
    }

    TemporaryDirectory directory_;
};

}  // namespace ovni::test
