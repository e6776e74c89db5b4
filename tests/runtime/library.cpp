// libovni.so as the loader sees it: what it shows, what it needs.
#include <gmock/gmock.h>

#include <fstream>
#include <set>
#include <sstream>

#include "ovni.h"
#include "tests/runtime/runtime_test.hpp"

namespace ovni::test {
namespace {

using ::testing::HasSubstr;

const std::string library = BUILD_DIR "/lib/libovni.so.1.14.0";

std::vector<std::vector<std::string>> lines_of_words(const std::string& text) {
    std::vector<std::vector<std::string>> lines;
    std::istringstream input(text);
    for (std::string line; std::getline(input, line);) {
        std::istringstream words(line);
        lines.push_back({std::istream_iterator<std::string>(words), {}});
    }
    return lines;
}

std::string readelf(const char* what) {
    Finished read = run({"readelf", "--wide", what, library});
    EXPECT_EQ(read.status, 0) << read.err;
    return read.out;
}

TEST(LibraryTest, ExportsTheApiAndWhatOurLibrariesNeed) {
    std::set<std::string> api, control, places, ours, others;
    for (const auto& words : lines_of_words(run({"nm", "--dynamic", "--defined-only", library}).out)) {
        const std::string& symbol = words.back();
        if (symbol.starts_with("OVNI_")) continue;
        size_t at = symbol.find("@@");
        std::string version = at == symbol.npos ? "" : symbol.substr(at + 2);
        (version == "OVNI_1"         ? api
         : version == "OVNI_2"       ? control
         : version == "OVNI_3"       ? places
         : version == "OVNI_PRIVATE" ? ours
                                     : others)
            .insert(symbol.substr(0, at));
    }
    EXPECT_THAT(api, ::testing::ElementsAre(
                         "ovni_add_cpu", "ovni_attr_flush", "ovni_attr_get_boolean", "ovni_attr_get_double",
                         "ovni_attr_get_json", "ovni_attr_get_str", "ovni_attr_has", "ovni_attr_set_boolean",
                         "ovni_attr_set_double", "ovni_attr_set_json", "ovni_attr_set_str", "ovni_clock_now",
                         "ovni_ev_emit", "ovni_ev_get_clock", "ovni_ev_jumbo_emit", "ovni_ev_set_clock",
                         "ovni_ev_set_mcv", "ovni_ev_size", "ovni_flush", "ovni_mark_label", "ovni_mark_pop",
                         "ovni_mark_push", "ovni_mark_set", "ovni_mark_type", "ovni_payload_add",
                         "ovni_payload_size", "ovni_proc_fini", "ovni_proc_init", "ovni_proc_set_rank",
                         "ovni_thread_free", "ovni_thread_init", "ovni_thread_isready", "ovni_thread_require",
                         "ovni_version_check_str", "ovni_version_get"));
    EXPECT_THAT(control, ::testing::ElementsAre("ovni_control_add_listener", "ovni_control_fire_event",
                                                "ovni_control_get_registers"));
    EXPECT_THAT(places, ::testing::ElementsAre("ovni_control_fire_event_at", "ovni_control_get_address"));
    EXPECT_THAT(ours, ::testing::Each(::testing::StartsWith("ovni_private_")));
    EXPECT_THAT(ours, ::testing::Contains("ovni_private_thread_window"));
    EXPECT_THAT(others, ::testing::IsEmpty());
}

TEST(LibraryTest, NoSymbolIsUnique) {
    EXPECT_EQ(run({"nm", library}).out.find(" u "), std::string::npos);
}

TEST(LibraryTest, TheSonameIsThatOfTheReference) {
    EXPECT_THAT(readelf("--dynamic"), HasSubstr("soname: [libovni.so.1]"));
    EXPECT_TRUE(std::filesystem::is_symlink(BUILD_DIR "/lib/libovni.so"));
}

TEST(LibraryTest, StaysLoaded) {
    EXPECT_THAT(readelf("--dynamic"), HasSubstr("NODELETE"));
}

// All libraries that are loaded together; without MPI there are less.
TEST(LibraryTest, ThreadLocalStorageIsLittleAndNeedsNoAllocation) {
    EXPECT_THAT(readelf("--dynamic"), HasSubstr("STATIC_TLS"));
    size_t bytes = 0;
    for (const char* name :
         {"libovni.so", "libovni-mpi.so", "libovni-openmp.so", "libovni-threads.so", "libovni-counters.so"}) {
        std::string path = std::string(BUILD_DIR "/lib/") + name;
        if (!std::filesystem::exists(path)) continue;
        for (const auto& words : lines_of_words(run({"readelf", "--wide", "--segments", path}).out))
            if (words.size() >= 6 && words[0] == "TLS") bytes += std::stoul(words[5], nullptr, 16);
    }
    EXPECT_GT(bytes, 0u);
    EXPECT_LE(bytes, 64u);
}

// Programs keep the system calls of the C library, which are points of cancellation.
TEST(LibraryTest, SystemCallsOfOursAreNobodyElses) {
    for (const char* name :
         {"libovni.so", "libovni-mpi.so", "libovni-openmp.so", "libovni-threads.so", "libovni-counters.so"}) {
        const std::string path = std::string(BUILD_DIR "/lib/") + name;
        if (!std::filesystem::exists(path)) continue;
        const std::string exported = run({"nm", "-D", "--defined-only", "--format=just-symbols", path}).out;
        for (const char* call :
             {"read", "write", "open", "close", "fcntl", "mmap", "poll", "nanosleep", "getpid"})
            EXPECT_EQ(("\n" + exported).find(std::string("\n") + call + "\n"), std::string::npos)
                << name << call;
    }
}

TEST(LibraryTest, NeedsOnlyTheCLibrary) {
    if (*OVNI_SANITIZE) GTEST_SKIP() << "sanitizers bring libraries of their own";
    for (const auto& words : lines_of_words(readelf("--dynamic"))) {
        if (words.size() <= 4 || words[1] != "(NEEDED)") continue;
        EXPECT_THAT(words[4], ::testing::MatchesRegex("\\[(libc|libm|ld-linux[-a-z0-9_]*)\\.so\\.[0-9]\\]"));
    }
}

TEST(LibraryTest, OvniverShowsBothVersions) {
    const char *version = nullptr, *commit = nullptr;
    ovni_version_get(&version, &commit);
    std::string line =
        std::string("libovni: build v1.14.0 (") + commit + "), dynamic v1.14.0 (" + commit + ")\n";
    Finished shown = run({"env", "-u", "LD_LIBRARY_PATH", program("ovniver")});
    EXPECT_EQ(shown.status, 0);
    EXPECT_EQ(shown.out, "LD_LIBRARY_PATH not set\n" + line);
    EXPECT_EQ(run({program("ovniver")}, {"LD_LIBRARY_PATH=/nowhere"}).out,
              "LD_LIBRARY_PATH set to /nowhere\n" + line);
    EXPECT_EQ(run({program("ovniver"), "word"}).status, 2);
    EXPECT_EQ(run({program("ovniver"), "--help"}).status, 0);
}

}  // namespace
}  // namespace ovni::test
