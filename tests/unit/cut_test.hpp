// Runs the real ovnicut and ovniemu, and compares what they wrote: files by their bytes, emulations by the
// state of every row at every time.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/support/process.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/trace_builder.hpp"

namespace ovni::test {

// A part of a trace, in ns since its first event.
struct Part {
    int64_t from = 0, to = 0;
};

// The values that a row shows of a type, each from a time on. Keys: the name of the row, which is the path of
// a thread's stream or the loom and number of a CPU, and the type.
using States = std::map<std::pair<std::string, int>, std::map<int64_t, int64_t>>;

class CutTest : public testing::Test {
 protected:
    // Cuts `trace` into a new directory of that name.
    Finished try_cut(const std::filesystem::path& trace, const std::string& name,
                     std::vector<std::string> options = {});
    std::filesystem::path cut(const std::filesystem::path& trace, const std::string& name, Part part,
                              std::vector<std::string> options = {});
    Finished emulate(const std::filesystem::path& trace, std::vector<std::string> options = {"-l"});
    // Emulates with the linter; the trace holds the outputs then.
    void expect_accepted(const std::filesystem::path& trace);

    // Both by corrected clocks.
    static int64_t first_clock(const std::filesystem::path& trace);
    static int64_t length(const std::filesystem::path& trace);

    // All files of a trace, by their relative paths, without those that an emulator has written.
    static std::map<std::string, std::string> files_of(const std::filesystem::path& trace);
    static void expect_same(const std::filesystem::path& one, const std::filesystem::path& other);

    // The states in thread.prv or cpu.prv of a trace that was emulated.
    static States states_of(const std::filesystem::path& trace, const std::string& output);
    // Both were emulated; `part` is of the whole.
    static void expect_slice(const std::filesystem::path& whole, const std::filesystem::path& part_of_it,
                             Part part);

    std::filesystem::path directory() const { return directory_.path(); }

 private:
    TemporaryDirectory directory_;
};

// Cuts that are chosen by options, of the trace that a test builds.
class CutByOptions : public CutTest {
 protected:
    std::filesystem::path cut_to(const std::string& name, std::vector<std::string> options) {
        Finished done = try_cut(whole_, name, std::move(options));
        EXPECT_EQ(done.status, 0) << done.err;
        return directory() / name;
    }
    void expect_usage_error(std::vector<std::string> options, const std::string& words) {
        Finished done = try_cut(whole_, "refused", std::move(options));
        EXPECT_EQ(done.status, 2) << done.err;
        EXPECT_THAT(done.err, testing::HasSubstr(words));
        expect_nothing("refused");
    }
    void expect_error(const Finished& done, const std::string& words) {
        EXPECT_EQ(done.status, 1) << done.err;
        EXPECT_THAT(done.err, testing::HasSubstr(words));
    }
    // The new trace does not exist, nor what stands next to it until it is whole.
    void expect_nothing(const std::string& name) {
        for (const auto& entry : std::filesystem::directory_iterator(directory()))
            EXPECT_FALSE(entry.path().filename().string().starts_with(name)) << entry.path();
    }

    TraceBuilder builder_;
    std::filesystem::path whole_;
};

}  // namespace ovni::test
