// Alarms on the program's code: what fires, and that programs do with sites what they do without.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/code/controlled.hpp"
#include "tests/region/matrix.hpp"

namespace ovni::test {

namespace {

using testing::Each;
using testing::ElementsAre;

class CodeSites : public ControlledProgram {
 protected:
    static constexpr const char* target = BUILD_DIR "/tests/code_target";
};

// Sites alone: other kinds of alarms have other back ends.
bool has_sites_only(const region::test::MatrixRow& row) {
    for (const std::string& chain : row.chains)
        for (const char* other : {"icount", "uniform", "interactive", "pcontrol", "timeout"})
            if (chain.find(other) != chain.npos) return false;
    return true;
}

TEST_F(CodeSites, FireAsDocumented) {
    size_t rows = 0;
    for (const region::test::MatrixRow& row : region::test::matrix) {
        if (!has_sites_only(row)) continue;
        ++rows;
        std::istringstream trace(row.trace);
        Words words{BUILD_DIR "/tests/code_matrix_target"};
        for (std::string token; trace >> token;) words.push_back(token);
        std::string expected = std::string(row.firings) + "\n";
        std::erase(expected, '*');
        const Finished done = controlled(row.chains, words);
        EXPECT_EQ(done.status, 0) << row.id << done.err;
        EXPECT_EQ(done.out, expected) << row.id;
    }
    EXPECT_EQ(rows, 16u);
}

TEST_F(CodeSites, ProgramsDoWhatTheyDoWithoutSites) {
    const Words words{target,       "beginnings", "names",      "exceptions", "threads",
                      "blocked",    "own_traps",  "children",   "late",       "spawns",
                      "coroutines", "cancelled",  "trap_forms", "catches",    "threads"};
    const Finished untouched = run(words);
    ASSERT_EQ(untouched.status, 0);
    Words chains;
    for (const char* function : {"begin_push", "deep", "jump_away", "hidden", "malloc", "printf", "vfork",
                                 "dup2", "execve", "madvise", "memcpy"})
        chains.push_back(std::string("precond:exit_func:") + function + ":count1000000");
    for (const char* function :
         {"begin_jump", "begin_call", "begin_branch", "begin_data", "begin_push", "begin_loop", "push",
          "hidden", "deep", "jump_away", "come_late", "main", "malloc", "printf"})
        chains.push_back(std::string("threadid:enter_func:") + function);
    const Finished done = controlled(chains, words);
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.out, untouched.out);
    std::erase_if(chains, [](const std::string& chain) { return !chain.starts_with("threadid"); });
    for (const std::string& chain : chains) EXPECT_THAT(fired(), testing::Contains(chain));
}

TEST_F(CodeSites, EveryHitIsCounted) {
    const Finished done = controlled(
        {"threadid:address:begin_push:count20000:global", "threadid:address:begin_push:count20001:global"},
        {target, "threads"});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(fired(), ElementsAre("threadid:address:begin_push:count20000:global"));
}

TEST_F(CodeSites, EveryEndIsCounted) {
    const Finished done = controlled({"threadid:exit_func:begin_push:count20000:global",
                                      "threadid:exit_func:begin_push:count20001:global"},
                                     {target, "threads"});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(fired(), ElementsAre("threadid:exit_func:begin_push:count20000:global"));
}

// A call that an exception leaves ends where the exception is caught, one that longjmp() leaves ends there.
TEST_F(CodeSites, CallsEndWithoutReturning) {
    const Finished done =
        controlled({"start:enter_func:deep,stop:exit_func:deep,repeat", "threadid:exit_func:jump_away"},
                   {target, "exceptions"});
    EXPECT_EQ(done.status, 0) << done.err;
    Words expected;
    for (int i = 0; i < 100; ++i) {
        expected.emplace_back("start:enter_func:deep");
        expected.emplace_back("stop:exit_func:deep");
    }
    expected.emplace_back("threadid:exit_func:jump_away");
    EXPECT_EQ(fired(), expected);
}

// The site of an alarm that is not armed is taken away, and put back when it is armed.
TEST_F(CodeSites, SitesArePutBackInTime) {
    const Words alarms{"threadid:address:begin_push:global", "threadid:address:begin_jump:global"};
    EXPECT_EQ(controlled({alarms[0] + "," + alarms[1] + ",repeat"}, {target, "in_turn_alone"}).status, 0);
    Words expected;
    for (int i = 0; i < 1000; ++i) expected = expected + alarms;
    EXPECT_EQ(fired(), expected);
}

// The same while other threads come by: while an alarm fires, nothing is armed, and they pass.
TEST_F(CodeSites, SitesAreThereWhileSomethingWaitsForThem) {
    const Finished done =
        controlled({"threadid:address:begin_push:global,threadid:address:begin_jump:global,repeat"},
                   {target, "in_turn"});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.out, "160000\n");
    const Words all = fired();
    EXPECT_GE(all.size(), 2u);
    size_t pushes = 0;
    for (const std::string& alarm : all) pushes += alarm == "threadid:address:begin_push:global";
    EXPECT_LE(all.size() - 2 * pushes + 1, 1u) << "each fires in its turn";
}

TEST_F(CodeSites, SitesHaveTheNamesOfTheSource) {
    const Words chains{
        "threadid:enter_func:push:count2", "threadid:address:\"stack::Pile<long>::push(long)\"",
        "threadid:address:hidden",         "threadid:address:_ZN5stack4PileIiE4pushEi",
        "threadid:address:push:count2",    "threadid:enter_func:solve",
        "threadid:address:thaw_ice",       "threadid:enter_func:pus"};
    EXPECT_EQ(controlled(chains, {target, "names"}).status, 0);
    EXPECT_THAT(fired(), testing::UnorderedElementsAreArray(Words(chains.begin(), chains.end() - 1)));
}

TEST_F(CodeSites, SitesHaveTheNamesOfFortran) {
    const std::string program = BUILD_DIR "/tests/code_fortran_target";
    if (!std::filesystem::exists(program)) GTEST_SKIP() << "there is no Fortran compiler";
    const Words chains{"start:enter_func:relax:count100", "stop:exit_func:relax:count100",
                       "threadid:address:exchange:count100", "threadid:enter_func:exchange:count101"};
    const Finished done = controlled(chains, {program});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.out, run({program}).out);
    EXPECT_THAT(fired(), ElementsAre(chains[0], chains[1], chains[2]));
}

TEST_F(CodeSites, SitesMayLieInLibrariesThatComeLate) {
    EXPECT_EQ(controlled({"threadid:enter_func:come_late,repeat"}, {target, "late"}).status, 0);
    EXPECT_EQ(fired().size(), 3u);
}

TEST_F(CodeSites, SitesMayBeAddresses) {
    const Finished symbols = run({"nm", target});
    uint64_t offset = 0;
    std::istringstream lines(symbols.out);
    for (std::string line; std::getline(lines, line);)
        if (line.ends_with(" begin_push")) offset = std::stoull(line, nullptr, 16);
    ASSERT_NE(offset, 0u);
    // A program that may lie anywhere lies here if the system chooses no place.
    constexpr uint64_t usual_base = 0x555555554000;
    std::ostringstream in_image, absolute;
    in_image << "threadid:address:code_target+0x" << std::hex << offset;
    absolute << "threadid:address:0x" << std::hex << usual_base + offset;
    EXPECT_EQ(controlled({in_image.str(), absolute.str()}, {target, "beginnings"}).status, 0);
    EXPECT_THAT(fired(), ElementsAre(in_image.str(), absolute.str()));
}

TEST_F(CodeSites, TrapsOfTheProgramEndItAsEver) {
    constexpr int by_trap = 128 + SIGTRAP;
    const Words words{"bash", "-c", std::string(target) + " die"};
    EXPECT_EQ(run(words).status, by_trap);
    EXPECT_EQ(controlled({"threadid:enter_func:begin_push"}, words).status, by_trap);
    EXPECT_EQ(controlled({"threadid:int3"}, words).status, 0);
}

TEST_F(CodeSites, CallsEndWhereTheyEnd) {
    EXPECT_EQ(
        controlled({"start:enter_func:throws,stop:exit_func:throws,repeat", "threadid:exit_func:open_call",
                    "precond:exit_func:open_call,threadid:exit_func:higher_call"},
                   {target, "coroutines", "catches"})
            .status,
        0);
    const Words all = fired();
    EXPECT_EQ(std::ranges::count(all, "start:enter_func:throws"), 3);
    EXPECT_EQ(std::ranges::count(all, "stop:exit_func:throws"), 3);
    // The higher call ends first.
    EXPECT_EQ(std::ranges::count(all, "threadid:exit_func:open_call"), 1);
    EXPECT_EQ(std::ranges::count(all, "threadid:exit_func:higher_call"), 0);
}

// The tracer itself calls these while it makes sites, and what comes before main() is called by nobody.
TEST_F(CodeSites, TheTracerHitsNoSite) {
    const Finished done = controlled({"threadid:address:pwrite", "threadid:exit_func:syscall",
                                      "threadid:exit_func:_start", "threadid:enter_func:mmap:count100"},
                                     {target, "beginnings"});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(fired(), testing::IsEmpty());
}

TEST_F(CodeSites, SitesThatWouldEndTheProgramAreRefused) {
    const Finished done = controlled({"threadid:address:madvise"}, {target, "threads"});
    EXPECT_EQ(done.status, 0);
    EXPECT_THAT(done.err, testing::HasSubstr("it runs with all signals blocked\n"));
}

// A call through an address on the stack would find another one from elsewhere.
TEST_F(CodeSites, InstructionsThatCannotBeMovedAreRefused) {
    const Words words{target, "beginnings"};
    const Finished done = controlled({"threadid:address:calls_on_stack"}, words);
    EXPECT_EQ(done.status, 0);
    EXPECT_EQ(done.out, run(words).out);
    EXPECT_THAT(done.err, testing::HasSubstr("the instruction there cannot be moved\n"));
    EXPECT_THAT(fired(), testing::IsEmpty());
}

// Sites in the functions that every program is full of, and that handlers and the tracer itself call.
TEST_F(CodeSites, SitesMayBeAnywhereInTheCLibrary) {
    Words chains;
    for (const char* function : {"malloc", "free", "_int_malloc", "memcpy", "strlen", "write", "read",
                                 "sigaction", "pthread_mutex_lock", "getenv", "open", "close", "fork",
                                 "execve", "mmap", "dup2", "madvise", "strchrnul"})
        chains.push_back(std::string("threadid:address:") + function + ":count3");
    // The tracer gets a thread of its own by this.
    chains.emplace_back("threadid:timeout:0.001");
    const Words words{"bash", "-c", "for i in 1 2 3; do echo $i | tr 1-3 a-c; done; (exit 3) || echo $?"};
    const Finished done = controlled(chains, words);
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.out, "a\nb\nc\n3\n");
    EXPECT_FALSE(fired().empty());
}

TEST_F(CodeSites, UnknownFunctionsAreToldWithThoseThatAreLikeThem) {
    const Finished done = controlled({"start:enter_func:begin_pusch"}, {target, "names"});
    EXPECT_EQ(done.status, 0);
    EXPECT_THAT(done.err,
                testing::HasSubstr("no function is named 'begin_pusch' (did you mean 'begin_push'?)"));
    EXPECT_THAT(controlled({"start:enter_func:begin_push"}, {target, "names"}).err,
                testing::Not(testing::HasSubstr("no function is named")));
}

TEST_F(CodeSites, FunctionsAreListedAndTheProgramDoesNotRun) {
    const Finished part = run({program("ovnirun"), "--list-functions", "begin_p", target, "threads"});
    EXPECT_EQ(part.status, 0) << part.err;
    EXPECT_THAT(part.out, testing::StartsWith("begin_push\t"));
    EXPECT_THAT(part.out, testing::EndsWith("code_target\n"));
    EXPECT_THAT(run({program("ovnirun"), "--list-functions=qsor?", target}).out,
                testing::HasSubstr("libc.so.6\n"));
    const Finished none = run({program("ovnirun"), "--list-functions", "x", "/no/such/program"});
    EXPECT_EQ(none.status, 1);
    EXPECT_EQ(none.out, "");
}

}  // namespace

}  // namespace ovni::test
