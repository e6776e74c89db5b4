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

}  // namespace ovni::test
