// Call sites of MPI: programs say from where they call, and ovnitop and the emulator say it, too.
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "tests/mpi/traced.hpp"

namespace ovni::test {

namespace {

namespace fs = std::filesystem;

// How often rank 0 called, by "MPI_Send function file:line".
using Calls = std::map<std::string, int>;

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

Calls said_by_program(const std::string& output) {
    Calls calls;
    for (const std::string& line : lines_of(output))
        if (line.starts_with("MPI_")) ++calls[line];
    return calls;
}

class CallSitesTest : public TracedTest {
 protected:
    std::string top(const Words& options = {}) const {
        Finished done =
            run(Words{program("ovnitop"), "--mpi", "--callsites"} + options + Words{trace_directory()});
        EXPECT_EQ(done.status, 0) << done.err;
        warnings_ = done.err;
        return done.out;
    }
    // Calls of rank 0, without what every program does.
    Calls said_by_trace() const {
        static const std::regex row(R"(0 +(MPI_\w+) +(\d+) +\S+ +\S+ +\d+ +\d+  (.*))");
        Calls calls;
        std::smatch match;
        for (const std::string& line : lines_of(top()))
            if (std::regex_match(line, match, row) && match[1] != "MPI_Init" && match[1] != "MPI_Finalize")
                calls[match[1].str() + " " + match[3].str()] += std::stoi(match[2]);
        return calls;
    }
    void expect_same(const Finished& done) const {
        Calls said = said_by_program(done.out);
        EXPECT_GE(said.size(), 2U) << done.out << done.err;
        EXPECT_EQ(said_by_trace(), said);
        expect_emulates({"-l"});
    }
    std::string copy_of(const std::string& name) const {
        fs::copy_file(app(name), path(name));
        return path(name);
    }
    mutable std::string warnings_;
};

const Words on_virtual_cpu{"--cpu", "virtual"};

TEST_F(CallSitesTest, SitesInCAreThoseOfTheProgram) {
    expect_same(traced(2, {app("sites_c")}, on_virtual_cpu));
}

TEST_F(CallSitesTest, SitesAtAFixedAddressAreThoseOfTheProgram) {
    expect_same(traced(2, {app("sites_c_fixed")}, on_virtual_cpu));
}

TEST_F(CallSitesTest, SitesInCppAreThoseOfTheProgram) {
    expect_same(traced(2, {app("sites_cpp")}, on_virtual_cpu));
}

#ifdef OVNI_TEST_FORTRAN
TEST_F(CallSitesTest, SitesInFortranWithMpifHAreThoseOfTheProgram) {
    expect_same(traced(2, {app("sites_mpifh")}, on_virtual_cpu));
}

TEST_F(CallSitesTest, SitesInFortranWithTheModuleAreThoseOfTheProgram) {
    expect_same(traced(2, {app("sites_f08")}, on_virtual_cpu));
}
#endif

TEST_F(CallSitesTest, SitesAreThereAfterAKill) {
    Finished done = traced(2, {app("sites_c"), "kill"}, on_virtual_cpu);
    EXPECT_NE(done.status, 0);
    EXPECT_EQ(said_by_trace(), said_by_program(done.out));
}

TEST_F(CallSitesTest, AFlightRecorderKeepsTheSitesOfItsCalls) {
    expect_same(traced(2, {app("sites_c")}, on_virtual_cpu + Words{"--flight", "1M"}));
}

TEST_F(CallSitesTest, SitesMayBeLeftOut) {
    for (const Words& options : {Words{"--callsites", "0"}, Words{"--mpi-events", "reference"}}) {
        ASSERT_EQ(traced(2, {app("sites_c")}, options).status, 0);
        for (const Stream& stream : streams()) {
            EXPECT_TRUE(stream.metadata.process->calls->sites.empty());
            EXPECT_NE(stream.metadata.common->require.at("mpi"), "1.2.0");
        }
        EXPECT_EQ(said_by_trace().begin()->first.find("unknown") == std::string::npos, false);
        expect_emulates();
    }
}

TEST_F(CallSitesTest, PluginsAtOneAddressAreToldApart) {
    Finished done = traced(2,
                           {app("sites_host"), app("sites_first_plugin.so"), app("sites_other_plugin.so"),
                            app("sites_first_plugin.so")},
                           on_virtual_cpu);
    expect_same(done);
    std::set<std::string> addresses;
    for (const std::string& line : lines_of(done.out))
        if (line.starts_with("at ")) addresses.insert(line);
    EXPECT_EQ(addresses.size(), 1U) << "the plugins were not loaded at one address: nothing was tested";
}

// Two executables with a library between them; with the callers of callers.
TEST_F(CallSitesTest, CallersOfCallersAreNamed) {
    ASSERT_EQ(traced(2, {app("sites_frames")}, on_virtual_cpu + Words{"--callsites", "3"}).status, 0);
    std::string table = top();
    EXPECT_TRUE(std::regex_search(
        table,
        std::regex(R"(MPI_Barrier +2 .*  inner sites_frames\.c:\d+, middle sites_frames\.c:\d+, main )")))
        << table;
    expect_emulates({"-l"});
}

// Two of four functions are inlined. The program says the whole chain, as a user reads it in the source.
TEST_F(CallSitesTest, InlinedCallersAreNamed) {
    for (size_t wanted : {1, 2, 3, 4}) {
        const Finished done =
            traced(2, {app("sites_inlined")}, on_virtual_cpu + Words{"--callsites", std::to_string(wanted)});
        ASSERT_EQ(done.status, 0) << done.err;
        const std::vector<std::string> said = lines_of(done.out);
        ASSERT_EQ(said.size(), 4u);
        std::string chain;
        for (size_t level = 0; level < wanted; ++level) chain += (level == 0 ? "  " : ", ") + said[level];
        const std::string table = top();
        EXPECT_NE(table.find(chain + "\n"), std::string::npos) << chain << "\n" << table;
        expect_emulates({"-l"});
    }
}

TEST_F(CallSitesTest, CodeWithoutFramePointersNeverCrashes) {
    Finished done = traced(2, {app("sites_c")}, on_virtual_cpu + Words{"--callsites", "16"});
    EXPECT_EQ(done.status, 0) << done.err;
    for (const auto& [call, count] : said_by_program(done.out))
        EXPECT_NE(top().find(call.substr(call.find(' ') + 1)), std::string::npos) << call;
    expect_emulates({"-l"});
}

// The files of a program are looked for when the trace is read.
class StrippedTest : public CallSitesTest {
 protected:
    void SetUp() override {
        program_ = copy_of("sites_c");
        Finished done = traced(2, {program_});
        ASSERT_EQ(done.status, 0) << done.err;
        said_ = said_by_program(done.out);
    }
    static void change(const Words& words) { ASSERT_EQ(run(words).status, 0); }
    std::string program_;
    Calls said_;
};

TEST_F(StrippedTest, AProgramShowsAddressesOrExportedFunctions) {
    change({"strip", program_});
    std::string table = top();
    EXPECT_NE(table.find("  sites_c+0x"), std::string::npos) << table;
    EXPECT_NE(table.find("  library_barrier library.c:"), std::string::npos) << table;
    EXPECT_EQ(table.find("sites.c:"), std::string::npos) << table;
}

TEST_F(StrippedTest, AProgramIsNamedByItsSeparateDebugFile) {
    change({"objcopy", "--only-keep-debug", program_, program_ + ".debug"});
    change({"strip", program_});
    change({"objcopy", "--add-gnu-debuglink=" + program_ + ".debug", program_});
    EXPECT_EQ(said_by_trace(), said_);
}

// As clang leaves it.
TEST_F(StrippedTest, AProgramWithoutATableOfAddressRangesShowsLines) {
    change({"objcopy", "--remove-section=.debug_aranges", program_});
    EXPECT_EQ(said_by_trace(), said_);
}

TEST_F(StrippedTest, AnotherProgramInItsPlaceIsReported) {
    fs::copy_file(app("sites_c_fixed"), program_, fs::copy_options::overwrite_existing);
    std::string table = top();
    EXPECT_NE(warnings_.find("has changed since it was traced"), std::string::npos) << warnings_;
    EXPECT_EQ(table.find("sites.c:"), std::string::npos) << table;
}

TEST_F(StrippedTest, AProgramThatIsGoneIsReported) {
    fs::remove(program_);
    EXPECT_NE(top().find("  sites_c+0x"), std::string::npos);
    EXPECT_NE(warnings_.find("cannot be read"), std::string::npos) << warnings_;
}

// Counts by function and line of rank 0, from thread.prv and its labels.
class CallersInParaver : public CallSitesTest {
 protected:
    static std::string text_of(const fs::path& path) {
        std::ifstream file(path);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    std::map<int, std::string> labels(const std::string& type) const {
        std::map<int, std::string> labels;
        bool is_it = false;
        for (const std::string& line : lines_of(text_of(fs::path(trace_directory()) / "thread.pcf"))) {
            std::smatch match;
            if (line.starts_with("0 ") && !line.starts_with("0  "))
                is_it = line.find(type) != std::string::npos;
            if (is_it && std::regex_match(line, match, std::regex(R"((\d+) +(.*))")) && match[1] != "0")
                labels[std::stoi(match[1])] = match[2];
        }
        return labels;
    }
    Calls shown() const {
        auto functions = labels("70000001   Caller at level 1"),
             lines = labels("80000001   Caller line at level 1");
        Calls calls;
        static const std::regex line_of_row(R"(2:0:1:1:1:\d+:70000001:(\d+):80000001:(\d+))");
        for (const std::string& line : lines_of(text_of(fs::path(trace_directory()) / "thread.prv"))) {
            std::smatch match;
            if (std::regex_match(line, match, line_of_row) && match[1] != "0")
                ++calls[functions[std::stoi(match[1])] + " " + lines[std::stoi(match[2])]];
        }
        return calls;
    }
};

TEST_F(CallersInParaver, CallersAreThoseOfTheProgram) {
    Finished done = traced(2, {app("sites_c")}, on_virtual_cpu);
    expect_emulates();
    Calls said;
    for (const auto& [call, count] : said_by_program(done.out))
        said[call.substr(call.find(' ') + 1)] += count;
    Calls calls = shown();
    for (const auto& [place, count] : said) EXPECT_EQ(calls[place], count) << place;
}

TEST_F(CallersInParaver, AnyNumberOfRanksWritesTheSameBytes) {
    ASSERT_EQ(traced(3, {app("sites_cpp")}, {"--loom", "rank"}).status, 0);
    expect_emulates({"--report", path("alone.json")});
    for (const Workers& workers : every_sharing) {
        const std::string out = path(workers.name());
        Finished done = emulated(workers, {"-o", out, "--report", out + ".json"});
        ASSERT_EQ(done.status, 0) << done.err;
        for (const char* file : {"thread.prv", "thread.pcf", "cpu.prv", "cpu.pcf"})
            EXPECT_EQ(text_of(fs::path(trace_directory()) / file), text_of(fs::path(out) / file)) << file;
        EXPECT_EQ(text_of(path("alone.json")), text_of(out + ".json"));
    }
    EXPECT_NE(text_of(path("alone.json")).find("\"line\": \"sites.cpp:"), std::string::npos);
}

TEST_F(CallSitesTest, StayRightInACut) {
    ASSERT_EQ(traced(2, {app("sites_c")}, on_virtual_cpu).status, 0);
    const Trace whole = trace();
    std::vector<Mark> events = events_of(whole, 0);
    int64_t begin = std::min(events.front().clock, events_of(whole, 1).front().clock);
    std::string middle = std::to_string(events[events.size() / 2].clock - begin) + "ns";
    Finished cut = run({program("ovnicut"), trace_directory(), "-o", path("part"), "--from", middle});
    ASSERT_EQ(cut.status, 0) << cut.err;
    Finished done = run({program("ovnitop"), "--mpi", "--callsites", path("part")});
    EXPECT_EQ(done.out.find("unknown"), std::string::npos) << done.out;
    EXPECT_EQ(run({program("ovniemu"), path("part")}).status, 0);
}

}  // namespace

}  // namespace ovni::test
