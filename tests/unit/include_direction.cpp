// The direction of includes: every #include of a project header is checked against the direction of the
// parts, and names its header from one root. No two classes of a namespace have one name.
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
    {"trace", {"trace", "base", "core"}},
    {"model", {"model", "trace", "base", "core"}},
    {"source", {"source", "model", "trace", "base", "core"}},
    {"emu", {"emu", "source", "model", "trace", "base", "core"}},
    {"messages", {"messages", "emu", "source", "model", "trace", "base", "core"}},
    {"cut", {"cut", "messages", "emu", "source", "model", "trace", "base", "core"}},
    {"sink", {"sink", "messages", "emu", "source", "model", "trace", "base", "core"}},
    {"session",
     {"session", "cut", "sink", "messages", "emu", "source", "model", "trace", "ring", "base", "core"}},
    {"tools",
     {"tools", "session", "cut", "sink", "messages", "emu", "source", "model", "trace", "ring", "base",
      "core"}},
    {"ring", {"ring", "core"}},
    {"drain", {"drain", "ring", "core"}},
    {"runtime", {"runtime", "drain", "ring", "core"}},
    {"region", {"region", "runtime", "drain", "ring", "core"}},
    {"code", {"code", "core"}},
    {"threads", {"threads", "core"}},
    {"counters", {"counters", "core"}},
    {"openmp", {"openmp", "core"}},
    {"run", {"run", "counters", "region", "runtime", "drain", "ring", "base", "core"}},
};

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
                              "state_rows.inc"};

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
