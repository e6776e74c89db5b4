// The texts that programs print about themselves: topics that help texts name exist and print their pages,
// and pages name what programs write.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/wrapped_text.hpp"
#include "region/alarm_kinds.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_directory.hpp"

namespace ovni::test {

namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const std::vector<std::string> programs = {
    "ovnirun",  "ovnictl",     "ovnirecover", "ovniemu", "ovnidump",
    "ovnitop",  "ovnisort",    "ovnicut",     "ovniver", "ovnievents",
#ifdef WITH_MPI
    "ovnisync", "ovniemu-mpi",
#endif
};

std::string printed(const std::string& name, const std::vector<std::string>& options) {
    std::vector<std::string> words{program(name)};
    words.insert(words.end(), options.begin(), options.end());
    Finished done = run(words, {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"});
    EXPECT_EQ(done.status, 0) << name << done.err;
    EXPECT_EQ(done.err, "") << name;
    return done.out;
}

std::set<std::string> topics_named_in(const std::string& text) {
    static const std::regex naming("--help ([a-z]+)");
    std::set<std::string> names;
    for (std::sregex_iterator at(text.begin(), text.end(), naming), end; at != end; ++at)
        names.insert((*at)[1]);
    return names;
}

std::string page(const std::string& topic) {
    return read_file(fs::path(SOURCE_DIR) / "src/base/help" / (topic + ".md"));
}

std::string one_blank_between_words(const std::string& text) {
    std::string folded = std::regex_replace(text, std::regex("\\s+"), " ");
    return std::regex_replace(folded, std::regex("^ | $"), "");
}

// The words of a page without its marks for headings, items and terms.
std::string words_of_page(std::string text) {
    std::string words;
    for (size_t at = 0; at < text.size();) {
        size_t end = std::min(text.find('\n', at), text.size());
        std::string line = text.substr(at, end - at);
        line = std::regex_replace(line, std::regex("^#+ "), "");
        line = std::regex_replace(line, std::regex("^- `(.*?)`: "), "$1 ");
        line = std::regex_replace(line, std::regex("^- "), "");
        words += line + "\n";
        at = end + 1;
    }
    return one_blank_between_words(words);
}

std::string words_of_print(const std::string& text) {
    return one_blank_between_words(std::regex_replace(text, std::regex("(^|\n)  - "), "$1"));
}

TEST(HelpTest, TopicsThatHelpNamesPrintTheirPages) {
    std::set<std::string> shown;
    for (const std::string& name : programs) {
        std::string help = printed(name, {"--help"});
        for (const std::string& topic : topics_named_in(help)) {
            EXPECT_EQ(words_of_print(printed(name, {"--help", topic})), words_of_page(page(topic))) << topic;
            shown.insert(topic);
        }
    }
    for (const fs::directory_entry& file : fs::directory_iterator(fs::path(SOURCE_DIR) / "src/base/help")) {
        std::string topic = file.path().stem();
        EXPECT_TRUE(topic == "README" || shown.contains(topic)) << "no program prints " << file;
    }
}

TEST(HelpTest, NothingSendsUsersIntoTheSources) {
    for (const std::string& name : programs) {
        std::string all = printed(name, {"--manual"});
        for (const char* place : {"README", "src/", "scripts/", "tests/"})
            EXPECT_THAT(all, testing::Not(HasSubstr(place))) << name;
    }
}

TEST(HelpTest, LinesFitEightyColumns) {
    for (const std::string& name : programs) {
        std::istringstream help(printed(name, {"--help"}));
        for (std::string line; std::getline(help, line);) EXPECT_LE(line.size(), 80u) << name << ": " << line;
    }
}

TEST(HelpTest, AnUnknownTopicIsAMistakeThatNamesTopics) {
    for (const std::vector<std::string>& words : {std::vector<std::string>{"ovnirun", "--help", "nothing"},
                                                  {"ovnirun", "--help=nothing"},
                                                  {"ovniemu", "--help", "nothing"},
                                                  {"ovniemu", "--help=nothing"}}) {
        std::vector<std::string> command = words;
        command[0] = program(words[0]);
        Finished done = run(command);
        EXPECT_EQ(done.status, 2);
        EXPECT_EQ(done.out, "");
        EXPECT_THAT(done.err,
                    HasSubstr(words[0] == "ovnirun" ? "control, counters, settings" : "report, columns"));
    }
}

TEST(HelpTest, VersionsSayHowProgramsAreBuilt) {
    for (const std::string& name : programs) {
        std::string version = printed(name, {"--version"});
        EXPECT_THAT(version, testing::StartsWith(name + " (ovni-mpi) "));
        for (const char* line : {"\ncommit: ", "\nHDF5: ", "\nbuild: "})
            EXPECT_THAT(version, HasSubstr(line)) << name;
        bool has_mpi = name == "ovnisync" || name == "ovniemu-mpi";
        EXPECT_EQ(version.find("\nMPI: ") != version.npos, has_mpi) << version;
    }
}

TEST(HelpTest, ModelsStandInTheOrderOfTheReference) {
    std::string help = printed("ovniemu", {"-h"}), ids;
    static const std::regex model("(?:^|\n)  ([0-9A-Z])  [a-z0-9]+ +[0-9]+\\.[0-9]+\\.[0-9]+(?=\n)");
    for (std::sregex_iterator at(help.begin(), help.end(), model), end; at != end; ++at) ids += (*at)[1];
    EXPECT_EQ(ids.substr(0, 8), "O6VDTMKP") << help;
}

TEST(HelpTest, EveryAlarmAndEventIsNamed) {
    std::string control = page("control");
    for (const region::KindRow& kind : region::kind_rows())
        EXPECT_THAT(control, HasSubstr("- `" + std::string(kind.name))) << kind.name;
    for (region::Event event :
         {region::Event::start, region::Event::stop, region::Event::thread_id, region::Event::precondition})
        EXPECT_THAT(control, HasSubstr("- `" + std::string(region::name_of(event)) + "`"));
}

TEST(HelpTest, EveryDatasetOfColumnsIsNamed) {
    if (run({"/usr/bin/python3", "-c", "import h5py"}).status != 0) GTEST_SKIP() << "there is no h5py";
    TemporaryDirectory directory;
    std::string trace = directory.path() / "trace", file = directory.path() / "trace.h5";
    ASSERT_EQ(run({program("random-trace"), trace}).status, 0);
    Finished emulated = run({program("ovniemu"), "--keep-going", "--hdf5", file, trace});
    if (emulated.err.find("without HDF5") != std::string::npos) GTEST_SKIP() << emulated.err;
    ASSERT_EQ(emulated.status, 0) << emulated.err;
    Finished names =
        run({"/usr/bin/python3", "-c",
             "import h5py, sys\n"
             "file = h5py.File(sys.argv[1])\n"
             "print(*file.attrs, *(n for n in file['rows']), sep='\\n')\n"
             "print(*('/' + n for n in file if n not in ('rows', 'channels', 'breakdowns')), sep='\\n')",
             file});
    ASSERT_EQ(names.status, 0) << names.err;
    std::istringstream lines(names.out);
    std::string columns = page("columns");
    for (std::string name; std::getline(lines, name);) EXPECT_THAT(columns, HasSubstr(name));
}

TEST(WrappedTextTest, ParagraphsAndItemsAreWrappedButNotCode) {
    EXPECT_EQ(
        wrapped_markdown(
            "# Title\n\nsome words\nof a paragraph\n\n- `term`: its meaning\n- item\n\n    code  here\n", 12),
        "Title\n\nsome words\nof a\nparagraph\n\n"
        "  term                      its\n" +
            std::string(28, ' ') + "meaning\n  - item\n\n  code  here\n");
}

}  // namespace

}  // namespace ovni::test
