// The direction of includes: every #include of a project header is checked against the direction of the
// parts and of the wings of a part, and names its header from one root. No two classes of a namespace have
// one name.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace ovni::test {

namespace {

namespace fs = std::filesystem;
using Parts = std::set<std::string>;

// The parts that a part below src/ may include; headers of include/ are open to all.
const std::map<std::string, Parts> allowed = {
    {"core", {"core"}},
    {"base", {"base", "core"}},
    {"packed", {"packed", "core"}},
    {"trace", {"trace", "packed", "base", "core"}},
    {"model", {"model", "trace", "base", "core"}},
    {"calls", {"calls", "model", "trace", "base", "core"}},
    {"source", {"source", "model", "trace", "base", "core"}},
    {"emu", {"emu", "source", "model", "trace", "base", "core"}},
    {"messages", {"messages", "calls", "emu", "source", "model", "trace", "base", "core"}},
    {"cut", {"cut", "messages", "calls", "emu", "source", "model", "trace", "packed", "base", "core"}},
    {"sink", {"sink", "messages", "calls", "emu", "source", "model", "trace", "base", "core"}},
    {"session",
     {"session", "cut", "sink", "messages", "calls", "emu", "source", "model", "trace", "ring", "base",
      "core"}},
    {"tools",
     {"tools", "session", "cut", "sink", "messages", "calls", "emu", "source", "model", "trace", "ring",
      "base", "core"}},
    {"ring", {"ring", "core"}},
    {"drain", {"drain", "packed", "ring", "core"}},
    {"runtime", {"runtime", "drain", "packed", "ring", "core"}},
    {"region", {"region", "runtime", "drain", "packed", "ring", "core"}},
    {"code", {"code", "core"}},
    {"threads", {"threads", "core"}},
    {"counters", {"counters", "core"}},
    {"openmp", {"openmp", "core"}},
    {"run", {"run", "code", "counters", "region", "runtime", "drain", "packed", "ring", "base", "core"}},
};

// The wings of a folder from the ground up; "" is the folder itself. A wing may include those of the lines
// before it, and none beside it.
const std::map<std::string, std::vector<Parts>> floors = {
    {"src/emu", {{"records"}, {"plan"}, {"state"}, {""}, {"hooks"}}},
    {"src/messages",
     {{"scan"}, {"stuck"}, {"match"}, {"waits", "plan"}, {"costs"}, {"hybrid"}, {"short"}, {""}}},
    {"src/sink", {{""}, {"columns", "otf2", "page", "paje", "paraver", "perfetto"}}},
    {"src/session", {{"check"}, {"salvage"}, {"command"}, {"deal", "report"}, {"replay"}, {""}}},
    {"mpi/interpose", {{"base"}, {"library"}, {"job"}, {"streams"}, {"books", "sites"}, {"records"}, {""}}},
};
// A list of formats, and the writer of an account that books keep.
const std::set<fs::path> look_up = {"src/sink/output_formats.cpp", "mpi/interpose/streams/recorder.cpp"};

struct Include {
    fs::path file;
    std::string name;
    bool quoted = false;
};

std::vector<Include> includes_below(const fs::path& directory) {
    static const std::regex line_of_include(R"re(^\s*#\s*include\s*(["<])([^">]+)[">])re");
    std::vector<Include> found;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory)) {
        static const Parts sources{".c", ".h", ".cpp", ".hpp", ".in"};
        if (!entry.is_regular_file() || !sources.contains(entry.path().extension())) continue;
        std::ifstream file(entry.path());
        std::smatch match;
        for (std::string line; std::getline(file, line);)
            if (std::regex_search(line, match, line_of_include))
                found.push_back({fs::relative(entry.path(), SOURCE_DIR), match[2], match[1] == "\""});
    }
    return found;
}

std::string first_of(const fs::path& path) {
    return path.begin() == path.end() ? "" : path.begin()->string();
}

TEST(IncludeDirectionTest, PartsLeanOneWay) {
    for (const Include& include : includes_below(fs::path(SOURCE_DIR) / "src")) {
        std::string part = *std::next(include.file.begin());
        ASSERT_TRUE(allowed.contains(part))
            << include.file << ": say here what the part src/" << part << " may include";
        std::string other = first_of(include.name);
        if (allowed.contains(other) && fs::path(include.name).has_parent_path()) {
            EXPECT_TRUE(allowed.at(part).contains(other)) << include.file << " includes " << include.name;
        }
        EXPECT_NE(other, "..") << include.file << " includes " << include.name;
    }
}

// The wing of a file below the folder, by its path from there.
std::string wing_of(const fs::path& file) {
    return file.has_parent_path() ? first_of(file) : "";
}

// The floor of a wing, or all floors if there is no such wing.
size_t floor_of(const std::vector<Parts>& of_folder, const std::string& wing) {
    return std::ranges::find_if(of_folder, [&](const Parts& wings) { return wings.contains(wing); }) -
           of_folder.begin();
}

TEST(IncludeDirectionTest, WingsLeanOneWay) {
    std::set<fs::path> looking_up;
    for (const auto& [folder, of_folder] : floors) {
        const std::string rooted = (folder.starts_with("src/") ? folder.substr(4) : folder) + "/";
        for (const Include& include : includes_below(fs::path(SOURCE_DIR) / folder)) {
            const std::string wing = wing_of(include.file.lexically_relative(folder));
            const size_t floor = floor_of(of_folder, wing);
            ASSERT_LT(floor, of_folder.size()) << include.file << ": say here on which floor its wing is";
            if (!include.name.starts_with(rooted)) continue;
            const std::string other = wing_of(include.name.substr(rooted.size()));
            if (wing == other || floor_of(of_folder, other) < floor) continue;
            EXPECT_TRUE(look_up.contains(include.file)) << include.file << " includes " << include.name;
            looking_up.insert(include.file);
        }
    }
    EXPECT_EQ(looking_up, look_up);
}

TEST(IncludeDirectionTest, TheInterfaceOfTheLibraryStandsAlone) {
    for (const Include& include : includes_below(fs::path(SOURCE_DIR) / "include")) {
        EXPECT_FALSE(allowed.contains(first_of(include.name)) && fs::path(include.name).has_parent_path())
            << include.file << " includes " << include.name;
    }
}

TEST(IncludeDirectionTest, OnlyTheMpiPartNamesMpi) {
    for (const char* top : {"src", "include"})
        for (const Include& include : includes_below(fs::path(SOURCE_DIR) / top))
            EXPECT_NE(include.name, "mpi.h") << include.file;
}

TEST(IncludeDirectionTest, OnlyTheSinkAndMpiProgramsNameHdf5) {
    for (const char* top : {"src", "include", "mpi"})
        for (const Include& include : includes_below(fs::path(SOURCE_DIR) / top)) {
            if (include.name != "hdf5.h") continue;
            std::string part = include.file.parent_path();
            EXPECT_TRUE(part.starts_with("src/sink") || part.starts_with("mpi/emu") ||
                        part.starts_with("mpi/sync"))
                << include.file;
        }
}

// Headers that the build makes, and the one that users include without a folder.
const Parts without_folder = {"ovni.h",
                              "functions.hpp",
                              "fortran_routines.hpp",
                              "mpi_functions.hpp",
                              "mpi_function_rows.hpp",
                              "mpi_function_choices.hpp",
                              "state_rows.inc",
                              "instruction_names.inc"};

TEST(IncludeDirectionTest, NamesOfHeadersAreRooted) {
    fs::path root = SOURCE_DIR;
    for (const char* top : {"src", "include", "mpi"})
        for (const Include& include : includes_below(root / top)) {
            if (!include.quoted || without_folder.contains(include.name)) continue;
            int places = 0;
            for (const fs::path& from : {root / "src", root / "include", root})
                places += static_cast<int>(fs::exists(from / include.name));
            EXPECT_EQ(places, 1) << include.file << " includes " << include.name;
        }
}

// The files of each class, struct and enum that is defined in a namespace with a name.
std::map<std::string, std::set<fs::path>> places_of_classes() {
    static const std::regex opening(R"re(^namespace (\S*) ?\{)re"),
        closing(R"re(^\}  // namespace ?(\S*))re");
    static const std::regex definition(
        R"re(^(?:class|struct|union|enum class|enum) (?:alignas\([^)]*\) |\[\[[^\]]*\]\] )*(\w+)(?: final)?(?: :.*)?(?: \{.*)?$)re");
    std::map<std::string, std::set<fs::path>> places;
    for (const char* top : {"src", "include", "mpi"})
        for (const fs::directory_entry& entry :
             fs::recursive_directory_iterator(fs::path(SOURCE_DIR) / top)) {
            if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
            std::vector<std::string> open;
            std::ifstream file(entry.path());
            std::smatch match;
            for (std::string line; std::getline(file, line);) {
                if (std::regex_search(line, match, opening)) {
                    open.push_back(match[1]);
                } else if (std::regex_search(line, closing)) {
                    if (!open.empty()) open.pop_back();
                } else if (!open.empty() && std::ranges::find(open, "") == open.end() &&
                           !line.ends_with(';') && std::regex_search(line, match, definition)) {
                    std::string name;
                    for (const std::string& part : open) name += part + "::";
                    places[name + match[1].str()].insert(fs::relative(entry.path(), SOURCE_DIR));
                }
            }
        }
    return places;
}

TEST(IncludeDirectionTest, ANameMeansOneClassInANamespace) {
    std::map<std::string, std::set<fs::path>> places = places_of_classes();
    EXPECT_TRUE(places.contains("ovni::StreamReader"));
    EXPECT_TRUE(places.contains("ovni::writer::Stream"));
    for (const auto& [name, files] : places)
        EXPECT_EQ(files.size(), 1U) << name << " stands in " << *files.begin() << " and " << *files.rbegin();
}

}  // namespace

}  // namespace ovni::test
