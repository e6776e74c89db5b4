// Alarms that count or look for instructions: what fires, where, and that programs in translated code do what
// they do without.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "tests/code/controlled.hpp"
#include "tests/region/matrix.hpp"

namespace ovni::test {

namespace {

using testing::Each;
using testing::Gt;
using testing::HasSubstr;
using testing::SizeIs;

class CodeCounts : public ControlledProgram {
 protected:
    static constexpr const char* target = BUILD_DIR "/tests/code_count_target";
    static constexpr const char* matrix_target = BUILD_DIR "/tests/code_matrix_target";
    static constexpr const char* sites_target = BUILD_DIR "/tests/code_target";
    static constexpr bool is_sanitized = !std::string_view(OVNI_SANITIZE).empty();
    static constexpr const char* time_target = BUILD_DIR "/tests/code_time_target";
    static constexpr const char* oracle = BUILD_DIR "/tests/code_step_oracle";

    // The address of begin() in the target.
    static std::string begin_of_work() {
        std::istringstream symbols(run({"nm", target}).out);
        for (std::string line; std::getline(symbols, line);)
            if (line.ends_with(" T begin")) return "0x" + line.substr(0, line.find(' '));
        return "";
    }
    // Places in the program behind so many instructions, as executing them one by one has them.
    static Words places_of_steps(const Words& counts, const Words& words, const char* only) {
        Words settings{"LD_BIND_NOW=1"};
        if (only != nullptr) settings.push_back(std::string("STEP_ONLY=") + only);
        const Finished done =
            run(Words{oracle, begin_of_work()} + counts + Words{"--", target} + words, settings);
        std::istringstream lines(done.out);
        Words places;
        for (std::string line; std::getline(lines, line);) places.push_back(plain(line));
        return places;
    }
    // A library may be known by one of several names: that of its file and that of its interface.
    static std::string plain(const std::string& place) {
        return std::regex_replace(place, std::regex("\\.so[.0-9]*"), ".so");
    }
};

bool counts_instructions(const region::test::MatrixRow& row) {
    bool does = false;
    for (const std::string& chain : row.chains) {
        does = does || chain.find("icount") != chain.npos || chain.find("uniform") != chain.npos;
        for (const char* other : {"interactive", "pcontrol", "timeout"})
            if (chain.find(other) != chain.npos) return false;
    }
    return does;
}

// The documentation has the number of a sample's first instruction. The sample begins before it.
std::string places_of(const char* firings) {
    static const std::regex begin_of_sample("(start\\(t[0-9]+,bcast\\)@[^#]*#)([0-9]+)");
    std::string places;
    std::istringstream words(firings);
    std::smatch found;
    for (std::string word; words >> word;) {
        const bool begins = std::regex_match(word, found, begin_of_sample);
        places += (places.empty() ? "" : " ") +
                  (begins ? found.str(1) + std::to_string(std::stoi(found.str(2)) - 1) : word);
    }
    return places;
}

TEST_F(CodeCounts, FireAsDocumented) {
    size_t rows = 0;
    for (const region::test::MatrixRow& row : region::test::matrix) {
        if (!counts_instructions(row)) continue;
        ++rows;
        const std::string accuracy = std::string_view(row.trace).find(":b") == std::string::npos ||
                                             std::string_view(row.trace).find(":bar") != std::string::npos
                                         ? "exact"
                                         : "block";
        Words words{"--control-accuracy", accuracy, "--control-icount-images", "libcounted_code.so",
                    matrix_target};
        std::istringstream trace(row.trace);
        for (std::string token; trace >> token;) words.push_back(token);
        const Finished done = controlled(row.chains, words);
        EXPECT_EQ(done.status, 0) << row.id << done.err;
        EXPECT_EQ(done.out, places_of(row.firings) + "\n") << row.id;
    }
    EXPECT_EQ(rows, 14u);
}

constexpr uint64_t counts_of_steps[] = {1, 2, 17, 100, 333, 1000, 1500, 2500, 3777};

// An alarm at a number makes addresses the same in all runs: some code depends on them.
std::string chain_of_counts(const std::string& begin) {
    std::string chain = "start:address:" + begin;
    uint64_t before = 0;
    for (const uint64_t count : counts_of_steps) {
        chain += ",threadid:icount:" + std::to_string(count - before);
        before = count;
    }
    return chain;
}

TEST_F(CodeCounts, CountsAreThoseOfSingleSteps) {
    if (run({oracle, begin_of_work(), "1", "--", target, "calls"}).status != 0)
        GTEST_SKIP() << "processes cannot be traced here";
    Words counts;
    for (const uint64_t count : counts_of_steps) counts.push_back(std::to_string(count));
    for (const std::string work :
         {"calls",      "loops",        "vectors", "repeated", "exceptions",  "signals", "jumps",
          "coroutines", "data_in_code", "choices", "locks",    "other_locks", "creates", "forks",
          "prints",     "memory",       "files",   "sorts",    "masks",       "once"}) {
        // Here the C library goes through all libraries that are loaded, through what they want to be told of
        // a fork, or through a heap that has pieces of theirs. Ours are among these.
        constexpr std::string_view others[] = {"exceptions", "creates", "forks", "memory", "files"};
        const bool is_of_program = std::ranges::find(others, work) != std::end(others);
        const Words expected = places_of_steps(counts, {work}, is_of_program ? "code_count_target" : nullptr),
                    only = is_of_program ? Words{"--control-icount-images", "exe"} : Words{};
        ASSERT_THAT(expected, SizeIs(Gt(2u))) << work;
        for (const char* pthread : {"off", "contended", "all"}) {
            const Finished done = controlled(
                {chain_of_counts(begin_of_work())},
                Words{"--pthread", pthread, "--control-accuracy", "exact"} + only + Words{target, work},
                {"LD_BIND_NOW=1"});
            EXPECT_EQ(done.status, 0) << done.err;
            Words places;
            for (const std::string& place : fired_at()) places.push_back(plain(place));
            ASSERT_THAT(places, SizeIs(Gt(expected.size()))) << work;
            places.erase(places.begin());
            places.resize(expected.size());
            EXPECT_EQ(places, expected) << work << " with --pthread " << pthread;
        }
    }
}

TEST_F(CodeCounts, BlocksFireAtTheirBegin) {
    controlled({"start:address:begin,stop:icount:1000"}, {"--control-accuracy", "exact", target, "loops"});
    const std::string exact = fired_at().back();
    controlled({"start:address:begin,stop:icount:1000"}, {target, "loops"});
    EXPECT_THAT(fired(), SizeIs(2));
    EXPECT_THAT(fired_at().back(), HasSubstr("code_count_target+0x"));
}

// Each thread counts its own instructions, from when it begins.
TEST_F(CodeCounts, ThreadsCountForThemselves) {
    const Finished done =
        controlled({"precond:address:begin,threadid:icount:50000"},
                   {"--control-accuracy", "exact", "--control-icount-images", "exe", target, "threads"});
    EXPECT_EQ(done.status, 0) << done.err;
    ASSERT_THAT(fired_at(), SizeIs(4));
    EXPECT_THAT(fired_at(), Each(fired_at().front()));
}

TEST_F(CodeCounts, InstructionsAreFoundByWhatTheyAre) {
    const auto first = [&](const std::string& alarm, const char* work) {
        const Finished done = controlled({"precond:address:begin,threadid:" + alarm}, {target, work});
        EXPECT_EQ(done.status, 0) << done.err;
        return fired_at();
    };
    EXPECT_THAT(first("isa-category:ret", "calls"), SizeIs(1));
    EXPECT_THAT(first("isa_extension:x87", "vectors"), SizeIs(1));
    EXPECT_THAT(first("itext:f3a4", "repeated"), SizeIs(1));
    EXPECT_THAT(first("itext:f3aa:count90", "repeated"), SizeIs(1));
    // The code of a sanitizer has such instructions.
    if (!is_sanitized) {
        EXPECT_THAT(first("itext:f3aa:count91", "repeated"), SizeIs(0));
    }
    EXPECT_THAT(first("isa-extension:amx_tile", "calls"), SizeIs(0));
}

TEST_F(CodeCounts, UnknownNamesAreRefusedBeforeTheProgramStarts) {
    const auto said = [&](const char* chain) {
        const Finished done = controlled({chain}, {"echo", "ran"});
        EXPECT_EQ(done.status, 2) << chain;
        EXPECT_EQ(done.out, "");
        return done.err;
    };
    EXPECT_THAT(said("start:isa-extension:avx3"),
                HasSubstr("unknown extension of the instruction set 'avx3' (did you mean 'AVX' or 'AVX2'?)\n"
                          "    start:isa-extension:avx3\n"
                          "                        ^\n"));
    EXPECT_THAT(said("start:isa_category:cond_bra"),
                HasSubstr("unknown category of instructions 'cond_bra' (did you mean 'COND_BR'?)\n"));
    EXPECT_THAT(said("start:isa-category:branches"), HasSubstr("'branches'; there are: ADOX_ADCX, AES, "));
    for (const char* chain :
         {"start:isa-extension:Fpu", "start:isa-extension:sse4.2", "start:isa-category:data"})
        EXPECT_EQ(controlled({chain}, {"true"}).status, 0) << chain;
    const Words environment{"OVNI_CONTROL=start:isa-extension:mmy"};
    EXPECT_EQ(run({program("ovnirun"), "true"}, environment).status, 2);
}

// Nothing has checked them before.
TEST_F(CodeCounts, UnknownNamesInProgramsWithoutOvnirunAreReported) {
    const Finished done =
        run({target, "calls"}, {"OVNI_CONTROL=threadid:isa-extension:mmy", "OVNI_TRACEDIR=" + path("ovni"),
                                "LD_PRELOAD=" BUILD_DIR "/lib/libovni.so:" BUILD_DIR "/lib/libovni-code.so"});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(done.err, HasSubstr("no extension of the instruction set has the name MMY"));
    EXPECT_THAT(done.err, HasSubstr("AVX2"));
}

constexpr const char* far_away = "threadid:icount:10000000000000";

TEST_F(CodeCounts, ProgramsDoWhatTheyDoWithoutCounting) {
    const Words words{sites_target, "beginnings", "names",      "exceptions", "threads",
                      "blocked",    "own_traps",  "children",   "late",       "spawns",
                      "coroutines", "cancelled",  "trap_forms", "catches",    "threads"};
    const Finished untouched = run(words);
    ASSERT_EQ(untouched.status, 0);
    for (const Words& chains : {Words{far_away}, Words{far_away, "threadid:enter_func:malloc:count1000000000",
                                                       "threadid:exit_func:deep:count1000000"}}) {
        const Finished done = controlled(chains, words);
        EXPECT_EQ(done.status, 0) << done.err;
        EXPECT_EQ(done.out, untouched.out);
        // AddressSanitizer warns of coroutines, with the number of the process.
        if (!is_sanitized) {
            EXPECT_EQ(done.err, untouched.err);
        }
    }
}

// The threads of such a child are the first to see that it is one.
TEST_F(CodeCounts, ChildrenOfARawForkHaveRows) {
    const std::string forking_target = BUILD_DIR "/tests/code_translated_target";
    const Words words{"--threads", "program", "--pthread", "contended", forking_target, "forks_by_number"};
    for (int i = 0; i < 5; ++i) EXPECT_EQ(controlled({far_away}, words).out, "0\n0\n0\n");
}

// A thread of ours watches in the second run, as another thread might arm the alarm.
TEST_F(CodeCounts, HardProgramsDoWhatTheyDoWithoutCounting) {
    const std::string hard_target = BUILD_DIR "/tests/code_translated_target";
    const Words words{hard_target,      "written", "forks_by_number",   "cancelled",
                      "alignment_flag", "storm",   "end_of_main_thread"};
    const Finished untouched = run(words);
    ASSERT_EQ(untouched.status, 0);
    for (const char* more : {"", ":bcast"}) {
        const Finished done = controlled({std::string(far_away) + more}, words);
        EXPECT_EQ(done.status, 0) << done.err;
        EXPECT_EQ(done.out, untouched.out);
        EXPECT_EQ(done.err, untouched.err);
    }
}

// The system's counter ends the wait, in a thread, the main thread, and a child; each sees four alarms.
TEST_F(CodeCounts, TimeMayBeCountedInPlace) {
    const Finished done = controlled({"threadid:icount:10000000,repeat"},
                                     {"--control-counter", "time", time_target, "rhythms"});
    if (done.err.find("no such counter") != done.err.npos) GTEST_SKIP() << done.err;
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.out, "0\n0\n0\n");
    EXPECT_THAT(fired(), SizeIs(testing::Ge(12u)));
}

// Most virtual machines have no such counter, which is told; the alarm fires in any case.
TEST_F(CodeCounts, TheProcessorMayCount) {
    const Words words{"--control-counter", "processor", time_target, "busy"};
    const Finished done = controlled({"threadid:icount:2000000"}, words);
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.out, "0\n0\n0\n");
    EXPECT_THAT(fired(), testing::Not(testing::IsEmpty()));
    EXPECT_THAT(done.err, testing::AnyOf("", testing::HasSubstr("the system gives no such counter (")));
    EXPECT_EQ(run({program("ovnirun"), "--control-counter", "clock", "true"}).status, 2);
}

// In translated code hits of sites are no traps.
TEST_F(CodeCounts, EveryHitIsCountedInTranslatedCode) {
    const Finished done = controlled(
        {far_away, "threadid:address:begin_push:count20000:global",
         "threadid:address:begin_push:count20001:global", "threadid:exit_func:begin_push:count20000:global"},
        {sites_target, "threads"});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(fired(), testing::UnorderedElementsAre("threadid:address:begin_push:count20000:global",
                                                       "threadid:exit_func:begin_push:count20000:global"));
}

// Threads come to translated code and leave it with each run of the chain.
TEST_F(CodeCounts, ThreadsComeAndGo) {
    const Finished untouched = run({sites_target, "threads"});
    const Finished done =
        controlled({"precond:address:begin_push,threadid:icount:50,repeat:1000"}, {sites_target, "threads"});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.out, untouched.out);
    EXPECT_THAT(fired(), SizeIs(Gt(1000u)));
}

// An alarm of one thread makes the others count.
TEST_F(CodeCounts, OtherThreadsBeginToCount) {
    const Finished done =
        controlled({"precond:address:begin_push:count100:global:bcast,threadid:icount:1000,repeat:1"},
                   {sites_target, "threads"});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(fired(), SizeIs(Gt(1u)));
}

TEST_F(CodeCounts, ASystemWithoutWrittenCodeIsTold) {
    const Finished done =
        controlled({"threadid:icount:1000"}, {BUILD_DIR "/tests/code_no_written_code", target, "calls"});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(done.err, HasSubstr("memory that may be written and executed"));
    EXPECT_EQ(done.out, run({target, "calls"}).out);
}

}  // namespace

}  // namespace ovni::test
