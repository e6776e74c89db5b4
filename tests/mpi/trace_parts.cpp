// Jobs of which only some ranks are traced: nobody waits for the others, one line names them, and what is
// recorded of the traced ones is whole.
#include <sys/stat.h>

#include <set>

#include "tests/mpi/traced.hpp"

namespace ovni::test {

// Ranks of one program in a row.
struct Part {
    int ranks;
    bool is_traced;
};

class Parts : public TracedTest {
 protected:
    Finished job(const std::vector<Part>& parts, const Words& words, const Words& options = {},
                 const Words& environment = {}, const Words& of_mpirun = {}) const {
        std::filesystem::remove_all(trace_directory());
        Words all;
        for (const Part& part : parts) {
            all = all + (all.empty() ? Words{} : Words{":", "-n", std::to_string(part.ranks)});
            if (part.is_traced) all = all + Words{program("ovnirun"), "-o", trace_directory()} + options;
            all = all + words;
        }
        return mpirun(parts[0].ranks, of_mpirun + all, environment);
    }
    std::set<int64_t> traced_ranks() const {
        std::set<int64_t> ranks;
        for (const Stream& stream : streams()) ranks.insert(stream.metadata.process->rank.value_or(-1));
        return ranks;
    }
    static std::vector<std::string> lines_of_library(const std::string& err) {
        std::vector<std::string> lines;
        for (size_t begin = 0, end; (end = err.find('\n', begin)) != err.npos; begin = end + 1)
            if (std::string line = err.substr(begin, end - begin); line.starts_with("ovni"))
                lines.push_back(line);
        return lines;
    }
    static constexpr const char* reason =
        " not traced: started without ovnirun, or set-user-id, static or in a container";
};

TEST_F(Parts, AnyProportionOfTheRanksMayBeTraced) {
    struct Case {
        std::vector<Part> parts;
        std::set<int64_t> traced;
        std::string others;
    };
    const std::string plain = job({{4, false}}, {app("calls_c"), path("")}).out;
    for (const Case& test :
         {Case{{{1, true}, {3, false}}, {0}, "ranks 1-3 are"},
          Case{{{1, false}, {3, true}}, {1, 2, 3}, "rank 0 is"},
          Case{{{1, true}, {1, false}, {1, true}, {1, false}}, {0, 2}, "ranks 1, 3 are"}}) {
        Finished done = job(test.parts, {app("calls_c"), path("")});
        EXPECT_EQ(done.status, 0) << done.err;
        EXPECT_EQ(done.out, plain) << test.others;
        EXPECT_EQ(traced_ranks(), test.traced);
        EXPECT_EQ(lines_of_library(done.err), Words{"ovni-mpi: " + test.others + reason});
        expect_emulates();
    }
}

TEST_F(Parts, OneOfTwoRanksMayBeTraced) {
    for (bool first : {true, false}) {
        Finished done = job({{1, first}, {1, !first}}, {app("ping_pong"), "100"});
        EXPECT_EQ(done.status, 0) << done.err;
        EXPECT_EQ(traced_ranks(), std::set<int64_t>{first ? 0 : 1});
        expect_emulates();
    }
}

TEST_F(Parts, AllTracedIsSilent) {
    Finished done = job({{1, true}, {2, true}}, {app("ping_pong"), "100"});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(lines_of_library(done.err), Words{});
    done = job({{3, true}}, {app("ping_pong"), "100"}, {"--all-traced"});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(lines_of_library(done.err), Words{});
    EXPECT_EQ(traced_ranks(), (std::set<int64_t>{0, 1, 2}));
}

// One rank is not, and nobody waits for it.
TEST_F(Parts, AllTracedIsCheckedWhereTheLauncherKnows) {
    for (const Words& ways : {Words{}, Words{"OVNI_TEST_NO_WAY=pmix"}})
        for (bool first : {true, false}) {
            Finished done = job({{1, first}, {1, !first}}, {app("ping_pong"), "100"}, {"--all-traced"}, ways);
            EXPECT_EQ(done.status, 0) << done.err;
            EXPECT_EQ(traced_ranks(), std::set<int64_t>{first ? 0 : 1});
            const Words lines = lines_of_library(done.err);
            ASSERT_EQ(lines.size(), 1u) << done.err;
            EXPECT_TRUE(lines[0].starts_with(std::string("ovni-mpi: rank ") + (first ? "1" : "0") +
                                             " is not traced, although --all-traced says that all are"))
                << lines[0];
            expect_emulates();
        }
}

#ifdef OVNI_TEST_FORTRAN
TEST_F(Parts, SomeRanksOfAFortranProgramMayBeTraced) {
    const std::string plain = job({{3, false}}, {app("calls_f08"), path("")}).out;
    Finished done = job({{1, true}, {1, false}, {1, true}}, {app("calls_f08"), path("")});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.out, plain);
    EXPECT_EQ(traced_ranks(), (std::set<int64_t>{0, 2}));
    expect_emulates();
}
#endif

// A launcher without PMIx: ranks that share the trace directory find each other there.
TEST_F(Parts, FindEachOtherByFiles) {
    const Words without_pmix = {"OVNI_TEST_NO_WAY=pmix"};
    Finished done = job({{3, true}}, {app("ping_pong"), "100"}, {}, without_pmix);
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(lines_of_library(done.err), Words{});
    EXPECT_EQ(traced_ranks(), (std::set<int64_t>{0, 1, 2}));

    done = job({{1, false}, {2, true}, {1, false}}, {app("ping_pong"), "100"}, {}, without_pmix);
    EXPECT_EQ(done.status, 0) << done.err;
    const Words lines = lines_of_library(done.err);
    ASSERT_EQ(lines.size(), 1u) << done.err;
    EXPECT_TRUE(lines[0].starts_with("ovni-mpi: ranks 0, 3 are not traced, or cannot be found:")) << lines[0];
    EXPECT_EQ(traced_ranks(), (std::set<int64_t>{1, 2}));
    expect_emulates();
    for (const auto& entry : std::filesystem::directory_iterator(trace_directory()))
        EXPECT_FALSE(entry.path().filename().string().starts_with(".")) << entry.path();
}

TEST_F(Parts, RecordApartWhereTheyCannotFindEachOther) {
    Finished done = job({{2, true}}, {app("ping_pong"), "100"}, {}, {"OVNI_TEST_NO_WAY=pmix,files"});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(traced_ranks(), (std::set<int64_t>{0, 1}));
    expect_emulates();
}

// Alarms of scope job, and clocks on request: among the traced ranks.
TEST_F(Parts, TalkAmongThemselvesLater) {
    Finished done = job({{1, true}, {1, false}, {2, true}}, {app("uneven"), "refused"},
                        {"--control", "start:pcontrol:now", "--control-scope", "job"});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(traced_ranks(), (std::set<int64_t>{0, 2, 3}));
    done = job({{1, false}, {2, true}}, {app("clock_points"), "measure", "barrier", "measure"});
    EXPECT_EQ(done.status, 0) << done.err;
    expect_emulates();
}

TEST_F(Parts, WorldsMayBeSpawnedByAnyOfThem) {
    for (bool first : {true, false}) {
        Finished done = spawning([&] {
            return job({{1, first}, {1, !first}}, {app("spawn")}, {}, {}, spawn_limit);
        });
        EXPECT_EQ(done.status, 0) << done.err;
        EXPECT_TRUE(traced_ranks().contains(first ? 0 : 1));
        expect_emulates();
    }
}

}  // namespace ovni::test
