// Runs the real ovniemu with --report on a small trace.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.hpp"
#include "tests/support/process.hpp"
#include "tests/support/trace_builder.hpp"

namespace ovni::test {

class ReportTest : public testing::Test {
 protected:
    Finished emulate(std::vector<std::string> options = {}) {
        options.insert(options.begin(), {program("ovniemu"), "--report", file().string()});
        options.push_back(trace_.write().string());
        return run(options);
    }
    Json report(std::vector<std::string> options = {}) {
        Finished done = emulate(std::move(options));
        EXPECT_EQ(done.status, 0) << done.err;
        return Json::parse(read_file(file()));
    }
    std::filesystem::path file(const std::string& name = "report.json") const {
        return directory_.path() / name;
    }

    TraceBuilder trace_;

 private:
    TemporaryDirectory directory_;
};

}  // namespace ovni::test
