// Runs the real ovniemu on a small trace and looks at what it wrote.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "tests/support/process.hpp"
#include "tests/support/trace_builder.hpp"

namespace ovni::test {

class EmulatorTest : public testing::Test {
 protected:
    using Lines = std::vector<std::string>;

    Finished emulate(std::vector<std::string> options = {}) {
        std::vector<std::string> words{program("ovniemu")};
        words.insert(words.end(), options.begin(), options.end());
        words.push_back(trace().write().string());
        return run(words);
    }
    // Emulates, which must work.
    void accept(std::vector<std::string> options = {}) {
        Finished done = emulate(std::move(options));
        ASSERT_EQ(done.status, 0) << done.err;
    }
    std::string text(const std::string& file) { return read_file(trace().path() / file); }
    // Lines of a PRV file as "row:time:type:value", of one type if `type` is not 0.
    Lines lines(const std::string& file, int type = 0) {
        std::istringstream in(text(file));
        Lines all;
        std::string line;
        for (std::getline(in, line); std::getline(in, line);) {
            std::string short_line = line.substr(std::string("2:0:1:1:").size());
            std::istringstream fields(short_line);
            std::string row, time, of_type;
            std::getline(std::getline(std::getline(fields, row, ':'), time, ':'), of_type, ':');
            if (type == 0 || of_type == std::to_string(type)) all.push_back(short_line);
        }
        return all;
    }

    // Another trace, in a directory of its own.
    void another_trace() { builder_ = std::make_unique<TraceBuilder>(); }
    TraceBuilder& trace() { return *builder_; }

 private:
    std::unique_ptr<TraceBuilder> builder_ = std::make_unique<TraceBuilder>();
};

}  // namespace ovni::test
