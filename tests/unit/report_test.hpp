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
        Json report = Json::parse(read_file(file()));
        expect_members_in_help(report);
        return report;
    }
    std::filesystem::path file(const std::string& name = "report.json") const {
        return directory_.path() / name;
    }

    TraceBuilder trace_;

 private:
    // Names of models and functions are no members of their own.
    static void expect_members_in_help(const Json& json) {
        static const std::string page =
            read_file(std::filesystem::path(SOURCE_DIR) / "src/base/help/report.md");
        if (!json.is_structured()) return;
        for (const auto& [name, value] : json.items()) {
            if (json.is_object()) {
                EXPECT_THAT(page, testing::ContainsRegex("[^a-z_]" + name + "[^a-z_]"));
            }
            if (name != "events") expect_members_in_help(value);
        }
    }

    TemporaryDirectory directory_;
};

}  // namespace ovni::test
