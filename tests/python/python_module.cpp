// The module `ovni` in Python programs below ovnirun: what their streams hold, with MPI and without.
#include <gmock/gmock.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "tests/mpi/traced.hpp"

namespace ovni::test {
namespace {

namespace fs = std::filesystem;

std::string program_of_python(const std::string& name) {
    return std::string(SOURCE_DIR) + "/tests/python/programs/" + name + ".py";
}

class PythonModule : public TracedTest {
 protected:
    // Modules of Debian are those of its own Python.
    static inline const std::string python =
        fs::exists("/usr/bin/python3") ? "/usr/bin/python3" : OVNI_PYTHON;
    static inline const Words environment{"PYTHONPATH=" + std::string(SOURCE_DIR) + "/src/python",
                                          "PYTHONDONTWRITEBYTECODE=1"};

    static bool has_module(const std::string& name) {
        return run({python, "-c", "import " + name}).status == 0;
    }
    Finished traced_alone(const Words& words) const {
        return run(Words{program("ovnirun"), "-o", trace_directory()} + words,
                   environment + Words{"ASAN_OPTIONS=" + asan_options});
    }
    // "OM[main OM]main": marks and gaps of each stream that has any.
    std::map<int, std::string> marks_by_rank() const {
        std::map<int, std::string> stories;
        const Trace trace = this->trace();
        for (uint32_t i = 0; i < trace.streams().size(); ++i)
            if (const std::string marks = marks_of(trace, i); !marks.empty())
                stories[trace.streams()[i].metadata.process->rank.value_or(-1)] = marks;
        return stories;
    }
    std::set<std::string> marks_of_threads() const {
        std::set<std::string> stories;
        const Trace trace = this->trace();
        for (uint32_t i = 0; i < trace.streams().size(); ++i)
            if (const std::string marks = marks_of(trace, i); !marks.empty()) stories.insert(marks);
        return stories;
    }
    // The emulator takes the trace as it is.
    void expect_accepted() const {
        const Finished done = run({program("ovniemu"), "-o", path("out"), trace_directory()});
        EXPECT_EQ(done.status, 0) << done.err;
    }

 private:
    static std::string marks_of(const Trace& trace, uint32_t stream) {
        std::map<int64_t, std::string> labels;
        for (const MarkType& type : *trace.streams()[stream].metadata.common->marks)
            labels.insert(type.labels.begin(), type.labels.end());
        std::string marks;
        for (const Mark& event : events_of(trace, stream)) {
            const bool is_mark = event.code.starts_with("OM");
            if (!is_mark && event.code != "gap" && event.code != "end") continue;
            marks += (marks.empty() ? "" : " ") + event.code + (is_mark ? labels[event.value] : "");
        }
        return marks;
    }
};

TEST_F(PythonModule, RegionsAreInTheTraceAtTheirRanks) {
    if (!has_module("mpi4py")) GTEST_SKIP() << "Python has no mpi4py";
    const Words words{python, program_of_python("solver")};
    const Finished plain = mpirun(3, words, environment);
    ASSERT_EQ(plain.status, 0) << plain.err;
    const Finished done = traced(3, words, {"--cpu", "virtual"}, environment);
    ASSERT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.out, plain.out);
    const std::string solved = "OM[solve OM]solve ";
    for (const auto& [rank, marks] : marks_by_rank()) {
        std::string expected = "OM[all OM[assemble OM]assemble ";
        for (int i = 0; i < rank; ++i) expected += solved;
        const std::string own = "rank " + std::to_string(rank);
        expected += "OM]all gap end OM[all OM[reduce OM]reduce OM]all OM[" + own + " OM]" + own;
        EXPECT_EQ(marks, expected);
    }
    EXPECT_EQ(marks_by_rank().size(), 3u);
    expect_accepted();
}

TEST_F(PythonModule, ThreadsAndChildrenHaveRegionsAndMarksWithoutMpi) {
    const Finished done = traced_alone({python, program_of_python("alone")});
    ASSERT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.out, "traced\n");
    EXPECT_THAT(marks_of_threads(), testing::UnorderedElementsAre(
                                        "OM[main OM[assembly OM]assembly OM[solution OM= OM]solution OM]main",
                                        "OM[helper OM[assembly OM=beat OM]assembly OM]helper",
                                        "OM[child OM[assembly OM]assembly OM]child"));
    expect_accepted();
}

TEST_F(PythonModule, NothingHappensWithoutATracer) {
    const Finished done = run({python, program_of_python("alone")}, environment);
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.out, "alone\n");
    EXPECT_EQ(done.err, "");
}

TEST_F(PythonModule, MistakesAreErrorsTracedOrNot) {
    const Words words{python, program_of_python("mistakes")};
    for (const Finished& done : {run(words, environment), traced_alone(words)}) {
        EXPECT_EQ(done.status, 0) << done.err;
        EXPECT_EQ(done.out, "fine\n");
    }
}

TEST_F(PythonModule, AlarmsWaitForRegions) {
    if (!has_module("mpi4py")) GTEST_SKIP() << "Python has no mpi4py";
    const Finished done = traced(2, {python, program_of_python("solver")},
                                 {"--control", "start:pcontrol:solve@1,stop:pcontrol:solve@-1"}, environment);
    ASSERT_EQ(done.status, 0) << done.err;
    const std::map<int, std::string> marks = marks_by_rank();
    ASSERT_TRUE(marks.contains(1));
    EXPECT_THAT(marks.at(1), testing::HasSubstr("OM[solve"));
    EXPECT_THAT(marks.at(1), testing::Not(testing::HasSubstr("OM[reduce")));
}

TEST_F(PythonModule, AProgramMayLoadMpichLater) {
    const std::string library = OVNI_MPICH_LIBRARY;
    if (library.empty()) GTEST_SKIP() << "the build found no MPICH besides Open MPI";
    const Words words{python, program_of_python("foreign"), library};
    const Finished done =
        run(Words{"mpiexec.mpich", "-n", "2", program("ovnirun"), "-o", trace_directory()} + words,
            environment + Words{"ASAN_OPTIONS=" + asan_options});
    ASSERT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(done.out, testing::HasSubstr("done"));
    const std::map<int, std::string> marks = marks_by_rank();
    ASSERT_EQ(marks.size(), 2u);
    for (const auto& [rank, story] : marks)
        EXPECT_EQ(story, "OM[before OM]before OM[within OM]within OM[behind OM]behind") << rank;
    expect_accepted();
}

}  // namespace
}  // namespace ovni::test
