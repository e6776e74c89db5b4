// ovniemu-mpi against ovniemu, on generated traces: what both print and leave behind.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "base/file.hpp"
#include "ovni/format.h"
#include "tests/support/process.hpp"
#include "tests/support/random_trace.hpp"
#include "tests/support/trace_builder.hpp"
#include "tests/support/workers.hpp"

namespace ovni::test {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

inline const std::vector<std::string> mpi_environment = {
    "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_rmaps_base_oversubscribe=1",
    "OMPI_MCA_mpi_yield_when_idle=1", "ASAN_OPTIONS=detect_leaks=0"};

class DistributedTest : public testing::Test {
 protected:
    Finished serial(const fs::path& directory, const fs::path& output,
                    std::vector<std::string> options = {}) {
        options.insert(options.begin(), {program("ovniemu"), "-o", output.string()});
        options.push_back(directory.string());
        return run(options);
    }
    Finished distributed(int ranks, const fs::path& directory, const fs::path& output,
                         const std::vector<std::string>& options = {},
                         const std::vector<std::string>& environment = {}) {
        return shared(Workers{ranks}, directory, output, options, environment);
    }
    Finished shared(const Workers& workers, const fs::path& directory, const fs::path& output,
                    const std::vector<std::string>& options = {}, std::vector<std::string> environment = {}) {
        Words words = workers.emulator();
        words.insert(words.end(), {"-o", output.string()});
        words.insert(words.end(), options.begin(), options.end());
        words.push_back(directory.string());
        environment.insert(environment.end(), mpi_environment.begin(), mpi_environment.end());
        return run(words, environment);
    }
    // Every file of one output directory is in the other, with the same bytes.
    static void expect_same(const fs::path& a, const fs::path& b) {
        for (const auto& [one, other] : {std::pair(a, b), std::pair(b, a)})
            for (const auto& entry : fs::recursive_directory_iterator(one)) {
                fs::path twin = other / fs::relative(entry.path(), one);
                ASSERT_TRUE(fs::exists(twin)) << twin << " is missing";
                if (entry.is_regular_file()) {
                    EXPECT_TRUE(read_file(entry.path()) == read_file(twin)) << twin << " differs";
                }
            }
    }
    fs::path output(const std::string& name) { return outputs_.path() / name; }
    // The line that counts ties, as all emulators print it.
    static std::string line_of_ties(const std::string& err) {
        size_t at = err.find(" events share their clock");
        if (at == err.npos) return {};
        size_t begin = err.rfind(' ', at - 1) + 1;
        return err.substr(begin, err.find('\n', at) - begin);
    }
    static std::string message(const std::string& err) {
        for (size_t at = 0; at < err.size();) {
            size_t end = err.find('\n', at);
            std::string line = err.substr(at, end - at);
            if (size_t error = line.find("ERROR: "); error != line.npos) return line.substr(error);
            at = end + 1;
        }
        return {};
    }
    // Errors are the same, and so is what is kept.
    void expect_same_failure(const std::string& cause, const std::vector<std::string>& options = {}) {
        fs::path directory = trace_.write();
        Finished expected = serial(directory, output("serial"), options);
        EXPECT_EQ(expected.status, 1);
        EXPECT_THAT(expected.err, HasSubstr(cause));
        for (const Workers& workers : {Workers{1}, Workers{3}, Workers{3, Workers::Kind::threads}}) {
            fs::path out = output(workers.name());
            Finished done = shared(workers, directory, out, options, {"OVNI_TEST_WINDOW=100"});
            EXPECT_EQ(done.status, 1);
            EXPECT_EQ(message(done.err), message(expected.err)) << done.err;
            expect_same(output("serial"), out);
        }
    }

    TraceBuilder trace_;

 private:
    TemporaryDirectory outputs_;
};

inline const std::vector<std::string> exact = {"--exact-order"};

}  // namespace ovni::test
