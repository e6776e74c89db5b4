// Formats of traces of real jobs, which are recorded once for all formats.
#include "tests/formats/formats.hpp"
#include "tests/mpi/ending_jobs.hpp"

namespace ovni::test {
namespace {

using testing::HasSubstr;

class RecordedFormat : public JobEnds, public testing::WithParamInterface<Format> {
 protected:
    RecordedFormat() { std::filesystem::current_path(path("")); }
    void SetUp() override {
        if (const std::string missing = what_is_missing(GetParam()); !missing.empty())
            GTEST_SKIP() << missing;
    }
    // Emulates the trace. Returns what the checker counts.
    std::string emulated_alone() {
        emulate(alone_);
        return checked(GetParam(), file_of(alone_), path(alone_.name()));
    }
    // Emulates alone, then with the work shared in every way: the bytes are equal.
    std::string emulated_alike() {
        std::string counts = emulated_alone();
        for (const Workers& workers : every_sharing) {
            emulate(workers);
            expect_equal_bytes(file_of(alone_), file_of(workers));
        }
        return counts;
    }

 private:
    std::string file_of(const Workers& workers) const { return path(workers.name()) + "/" + GetParam().file; }
    void emulate(const Workers& workers) {
        const std::string out = path(workers.name());
        std::filesystem::create_directories(out);
        const Finished done = emulated(workers, {GetParam().option(), file_of(workers), "-o", out},
                                       {"OVNI_TEST_WINDOW=" + std::to_string(workers.number * 100)});
        EXPECT_EQ(done.status, 0) << done.err;
    }

    const Workers alone_{1, Workers::Kind::threads};
};

TEST_P(RecordedFormat, MessagesOfFourRanksAreWritten) {
    ASSERT_EQ(traced_once("heat", 4, {app("heat"), "100", "100", "20"}).status, 0);
    const std::string counts = emulated_alike();
    EXPECT_THAT(counts, HasSubstr(" messages=120 "));
    EXPECT_THAT(counts, HasSubstr(GetParam().has_collectives ? " collectives=84 " : " "));
}

TEST_P(RecordedFormat, EveryKindOfMessageIsWritten) {
    ASSERT_EQ(traced_once("messages", 4, {app("known_messages"), "0"}, {"--loom", "rank"}).status, 0);
    const std::string counts = emulated_alike();
    EXPECT_THAT(counts, testing::ContainsRegex(" messages=[1-9][0-9][0-9]"));
    EXPECT_THAT(counts, testing::ContainsRegex(GetParam().of_every_message));
}

TEST_P(RecordedFormat, PausesAndCountersAreWritten) {
    ASSERT_EQ(traced_once("pauses", 4, {app("known_messages"), "1"},
                          {"--loom", "rank", "--counters", "page-faults,rss"})
                  .status,
              0);
    const std::string counts = emulated_alike();
    EXPECT_THAT(counts, testing::ContainsRegex(" messages=[1-9][0-9]"));
    EXPECT_THAT(counts, testing::ContainsRegex(GetParam().of_counters));
}

// Every window has one operation to MPI_PROC_NULL on each of two ranks.
TEST_P(RecordedFormat, WindowsAndFilesAreWritten) {
    ASSERT_EQ(traced_once("objects", 2, {app("calls_c"), "./", "one_sided", "files"}).status, 0);
    EXPECT_THAT(emulated_alike(), testing::ContainsRegex(GetParam().of_objects));
}

// HPC Challenge, as Debian has it, with small problems, and a trace that is large for a test.
TEST_P(RecordedFormat, HpccIsWritten) {
    constexpr const char* example = "/usr/share/doc/hpcc/examples/_hpccinf.txt";
    if (run({"/bin/sh", "-c", "command -v hpcc"}).status != 0 || !std::filesystem::exists(example))
        GTEST_SKIP() << "the package hpcc is missing";
    ASSERT_EQ(run({"/bin/sed", "-e", "s/^1000 .*Ns/64 Ns/", "-e", "s/^2 .*Ps$/1 Ps/", "-e",
                   "w " + (shared_path("hpcc") / "hpccinf.txt").string(), example})
                  .status,
              0);
    ASSERT_EQ(traced_once("hpcc", 2, {"hpcc"}).status, 0);
    EXPECT_THAT(emulated_alone(), testing::ContainsRegex(" messages=[1-9][0-9][0-9]"));
}

// A checker that compared nothing would find nothing.
TEST_P(RecordedFormat, TheCheckerFindsALineThatIsMissing) {
    namespace fs = std::filesystem;
    const Format& format = GetParam();
    ASSERT_EQ(traced_once("small", 2, {app("heat"), "40", "40", "8"}).status, 0);
    const fs::path out = path("out"), file = out / format.file, other = path("other");
    fs::create_directories(out);
    ASSERT_EQ(run({program("ovniemu"), format.option(), file, "-o", out, trace_directory()}).status, 0);
    checked(format, file, out);
    fs::create_directories(other);
    for (const char* name : {"thread.pcf", "thread.row"}) fs::copy_file(out / name, other / name);
    const std::string lines = read_file(out / "thread.prv");
    for (const char* call_or_message : {"\n2:", "\n3:"}) {
        // Some line of that kind is left out; of events, one of a call.
        size_t at = lines.find(call_or_message, lines.size() / 2);
        const auto end_of_line = [&] { return lines.find('\n', at + 1); };
        while (call_or_message[1] == '2' && lines.substr(at, end_of_line() - at).find(":25:") == lines.npos)
            at = lines.find(call_or_message, at + 1);
        ASSERT_NE(at, lines.npos);
        write_file(other / "thread.prv", lines.substr(0, at) + lines.substr(end_of_line()));
        EXPECT_EQ(check(format, file, other).status, 1) << lines.substr(at, end_of_line() - at);
    }
}

INSTANTIATE_TEST_SUITE_P(Formats, RecordedFormat, testing::ValuesIn(formats), name_of_case);

}  // namespace
}  // namespace ovni::test
