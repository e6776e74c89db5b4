// The output formats, and the expectations of each: a checker in Python knows its rules, and compares it with
// the Paraver files; its bytes are equal for any number of ranks.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_directory.hpp"

namespace ovni::test {

struct Format {
    std::string name;
    std::string file;  // the name of an output
    std::string partial;
    std::string checker;
    std::string of_every_model;  // what the checker counts in a trace of every model
    std::string needs;           // a command that succeeds if the checker has what it needs
    bool is_directory = false;
    bool has_collectives = true;
    std::string of_every_message = " ";  // and in traces of these programs
    std::string of_counters = " ";
    std::string of_objects = " ";

    std::string option() const { return "--" + name; }
};

inline void PrintTo(const Format& format, std::ostream* out) {
    *out << format.name;
}

inline const Format formats[] = {
    {"perfetto", "trace.pftrace", "trace.partial.pftrace", "perfetto_rules.py", " slices=[1-9]",
     "protoc --version", false, true, " ", " ", " windows=[1-9][0-9]+ files=[1-9]"},
    {"otf2", "trace.otf2", "trace.partial.otf2", "otf2_rules.py", " kinds=12 ",
     "otf2-print --version && /usr/bin/python3 -c 'import otf2'", true, true,
     " requests=[1-9][0-9]* isends=[1-9]", " metrics=[1-9]",
     " operations=[1-9][0-9]+ to_nobody=8 transfers=[1-9]"},
    {"hdf5", "trace.h5", "trace.partial.h5", "columns_rules.py", " changes=[1-9]",
     "/usr/bin/python3 -c 'import h5py'"},
    {"html", "page.html", "page.partial.html", "page_rules.py", " changes=[1-9]", "python3 --version", false,
     false, " ", " counters=[2-9] "},
    {"paje", "trace.paje", "trace.partial.paje", "paje_rules.py", " states=[1-9]", "python3 --version", false,
     false},
};

inline std::string name_of_case(const testing::TestParamInfo<Format>& info) {
    return info.param.name;
}

// Why the format cannot be tested here, or nothing.
inline std::string what_is_missing(const Format& format) {
    namespace fs = std::filesystem;
    if (run({"/bin/sh", "-c", format.needs}).status != 0) return "there is no " + format.needs;
    const TemporaryDirectory empty;
    const Finished probe = run({program("ovniemu"), "--empty-ok", format.option(),
                                (empty.path() / "probe").string(), empty.path().string()});
    return probe.err.find("this build has no") == std::string::npos ? "" : probe.err;
}

enum class Names { complete, partial };

// Runs the checker. `paraver`: the directory of the Paraver files.
inline Finished check(const Format& format, const std::filesystem::path& file,
                      const std::filesystem::path& paraver, Names names = Names::complete) {
    std::vector<std::string> words{"/usr/bin/python3", "-B", SOURCE_DIR "/tests/formats/" + format.checker,
                                   file.string(), paraver.string()};
    if (names == Names::partial) words.emplace_back("partial");
    return run(words);
}

// Returns what the checker counts.
inline std::string checked(const Format& format, const std::filesystem::path& file,
                           const std::filesystem::path& paraver, Names names = Names::complete) {
    const Finished done = check(format, file, paraver, names);
    EXPECT_EQ(done.status, 0) << done.out << done.err;
    return done.out;
}

// A file, or all files of a directory.
inline void expect_equal_bytes(const std::filesystem::path& a, const std::filesystem::path& b) {
    namespace fs = std::filesystem;
    if (fs::is_regular_file(a)) {
        EXPECT_TRUE(read_file(a) == read_file(b)) << a << " and " << b << " differ";
        return;
    }
    for (const auto& [one, other] : {std::pair(a, b), std::pair(b, a)})
        for (const auto& entry : fs::recursive_directory_iterator(one)) {
            const fs::path twin = other / fs::relative(entry.path(), one);
            ASSERT_TRUE(fs::exists(twin)) << twin;
            if (entry.is_regular_file()) {
                EXPECT_TRUE(read_file(entry.path()) == read_file(twin)) << twin;
            }
        }
}

}  // namespace ovni::test
