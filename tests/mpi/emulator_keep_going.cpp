// --keep-going: bad days, each without and with it, in one process and on three ranks.
#include <functional>

#include "tests/mpi/emulator_test.hpp"

namespace ovni::test {
namespace {

struct DamagedDay {
    const char* name;
    std::function<void(StreamBuilder&)> damage;
    const char* error;    // without --keep-going
    const char* warning;  // with it
    bool is_there;        // has the thread a row?
};

const DamagedDay bad_days[] = {
    {"TornEvent", [](StreamBuilder& stream) { stream.truncate(3); }, "incomplete event",
     "thread.7 ends at byte ", true},
    {"GarbageInTheMiddle",
     [](StreamBuilder& stream) {
         for (size_t i = 0; i < 8; ++i) stream.set_byte(100 + i, 'g');
     },
     "thread.7/stream.obs:", "thread.7 ends at byte ", true},
    {"WrongChecksum", [](StreamBuilder& stream) { stream.checksums(64).flip(120); }, "checksum",
     "thread.7 ends at byte ", true},
    {"NoEvents", [](StreamBuilder& stream) { stream.content(""); }, "thread.7/stream.obs",
     "thread.7 has no event that can be read: ", true},
    {"AnotherFormat", [](StreamBuilder& stream) { stream.content("no stream at all"); },
     "thread.7/stream.obs", "thread.7 has no event that can be read: ", true},
    {"BrokenMetadata", [](StreamBuilder& stream) { stream.json_text("{"); }, "not valid JSON",
     "thread.7 is left out: ", false},
    {"ZerosInMetadata", [](StreamBuilder& stream) { stream.json_text(std::string("{}\0", 3)); },
     "stream.json:2: not valid JSON: a byte of value zero", "thread.7 is left out: ", false},
    {"NobodyEndedIt", [](StreamBuilder& stream) { stream.unfinished(); }, "ovni.finished",
     "thread.7 ends at byte ", true},
    {"TwoOfOneName", [](StreamBuilder& stream) { stream.set("ovni.tid", 8); }, "has two streams",
     "has two streams", false},
    {"AnotherApplication", [](StreamBuilder& stream) { stream.set("ovni.app_id", 77); }, "app",
     "is left out: ", false},
    {"BrokenGaps", [](StreamBuilder& stream) { stream.gaps_text("[]"); }, "stream.gaps.json",
     "thread.7 has no event that can be read: ", true},
};

class KeepGoing : public DistributedTest, public testing::WithParamInterface<DamagedDay> {
 protected:
    void SetUp() override {
        build(trace_, {.seed = 31, .looms = 2});
        for (int tid : {7, 8}) {
            StreamBuilder& stream =
                trace_.thread({.loom = "bad", .pid = 7, .tid = tid, .rank = 900, .nranks = 901});
            stream.starts(1000, -1);
            for (int i = 0; i < 10; ++i) stream.event("OB.", 1100 + 10 * i);
            stream.ends(3000);
            if (tid == 7) victim_ = &stream;
        }
    }
    StreamBuilder* victim_ = nullptr;
};

TEST_P(KeepGoing, LeavesOutWhatIsBad) {
    GetParam().damage(*victim_);
    fs::path directory = trace_.write();
    const Workers each[] = {{1, Workers::Kind::threads}, {3, Workers::Kind::threads}, {3}};
    for (const Workers& workers : each) {
        auto emulate = [&](const std::string& name, const std::vector<std::string>& options) {
            return shared(workers, directory, output(name), options);
        };
        const std::string number = workers.name();
        Finished strict = emulate("strict" + number, {});
        EXPECT_EQ(strict.status, 1);
        EXPECT_THAT(strict.err, HasSubstr(GetParam().error));
        EXPECT_FALSE(fs::exists(output("strict" + number) / "thread.prv"));
        Finished kept = emulate("kept" + number, {"--keep-going"});
        EXPECT_EQ(kept.status, 0) << kept.err;
        EXPECT_THAT(kept.err, HasSubstr(GetParam().warning));
        EXPECT_THAT(kept.err, HasSubstr("--keep-going: "));
        std::string rows = read_file(output("kept" + number) / "thread.row");
        EXPECT_EQ(rows.find("TH 1.7 (incomplete)\n") != rows.npos, GetParam().is_there) << rows;
        EXPECT_EQ(rows.find("TH 1.7\n"), rows.npos) << rows;
    }
    for (const Workers& workers : each)
        expect_same(output("kept" + each[0].name()), output("kept" + workers.name()));
}

INSTANTIATE_TEST_SUITE_P(On, KeepGoing, testing::ValuesIn(bad_days),
                         [](const auto& day) { return std::string(day.param.name); });

// Torn between two events: nothing is wrong before the end.
class KeepGoingToAnEnd : public KeepGoing {
 protected:
    static constexpr size_t of_an_end = 12;  // bytes of OHe

    enum class Age { newer, older };
    void expect_torn(const fs::path& directory, const std::string& cause, Age age = Age::newer) {
        fs::path events = directory / "loom.bad/proc.7/thread.7/stream.obs";
        if (age == Age::older)
            fs::last_write_time(events, fs::file_time_type::clock::now() - std::chrono::hours(1));
        std::string warning = "thread.7 ends at byte " + std::to_string(fs::file_size(events)) + ": " + cause;
        for (int ranks : {0, 3}) {
            std::string out = "kept" + std::to_string(ranks);
            fs::path report = output("report" + std::to_string(ranks));
            std::vector<std::string> options = {"--keep-going", "--report", report.string()};
            Finished kept = ranks == 0 ? serial(directory, output(out), options)
                                       : distributed(ranks, directory, output(out), options);
            EXPECT_EQ(kept.status, 0) << kept.err;
            EXPECT_THAT(kept.err, HasSubstr(warning));
            EXPECT_THAT(kept.err, HasSubstr("0 streams are left out, 1 end too early"));
            EXPECT_THAT(kept.err, Not(HasSubstr("are ignored")));
            EXPECT_THAT(read_file(output(out) / "thread.row"), HasSubstr("TH 1.7 (incomplete)\n"));
            Json all = Json::parse(read_file(report));
            EXPECT_EQ(all["damages"].size(), 2u);  // and the ranks that are missing
            EXPECT_EQ(all["faults"].size(), 0u);
        }
        expect_same(output("kept0"), output("kept3"));
    }
};

TEST_F(KeepGoingToAnEnd, EventsThatEndBeforeTheirThreadAreKept) {
    victim_->truncate(of_an_end);
    fs::path directory = trace_.write();
    Finished strict = serial(directory, output("strict"));
    EXPECT_EQ(strict.status, 1);
    EXPECT_THAT(strict.err, HasSubstr("is Running at the end, not Dead"));
    expect_torn(directory, "its events end before the thread does, which is Running");
}

TEST_F(KeepGoingToAnEnd, AFileShorterThanRecordedIsKept) {
    victim_->checksums(1 << 20).truncate(of_an_end);
    fs::path directory = trace_.write(), of_stream = directory / "loom.bad/proc.7/thread.7";
    fs::last_write_time(of_stream / "stream.crc", fs::file_time_type::clock::now() - std::chrono::hours(2));
    std::string cause = (of_stream / "stream.obs").string() + ": it has ";
    expect_torn(directory, cause);
}

TEST_F(KeepGoingToAnEnd, AnOldFileShorterThanRecordedIsKept) {
    victim_->checksums(1 << 20).truncate(of_an_end);
    fs::path directory = trace_.write(), of_stream = directory / "loom.bad/proc.7/thread.7";
    expect_torn(directory, (of_stream / "stream.obs").string() + ": it has ", Age::older);
}

// A copy that broke off amid an event, in the second block of three.
TEST_F(KeepGoingToAnEnd, AFileCutAmidAnEventIsKept) {
    victim_->checksums(64).truncate(5 * of_an_end + 3);
    fs::path directory = trace_.write(), events = directory / "loom.bad/proc.7/thread.7/stream.obs";
    uint64_t whole = fs::file_size(events) + 3 - of_an_end;
    for (auto age : {std::chrono::hours(2), std::chrono::hours(-2)}) {
        fs::last_write_time(events, fs::file_time_type::clock::now() + age);
        Finished kept = serial(directory, output("kept"), {"--keep-going"});
        EXPECT_EQ(kept.status, 0) << kept.err;
        EXPECT_THAT(kept.err, HasSubstr("thread.7 ends at byte " + std::to_string(whole) + ": "));
    }
}

using KeepGoingOn = KeepGoing;

TEST_F(KeepGoingOn, AGoodTraceChangesNothing) {
    fs::path directory = trace_.write();
    ASSERT_EQ(serial(directory, output("strict")).status, 0);
    Finished kept = serial(directory, output("kept"), {"--keep-going"});
    EXPECT_EQ(kept.status, 0);
    EXPECT_THAT(kept.err, HasSubstr("--keep-going: 0 streams are left out, 0 end too early"));
    expect_same(output("strict"), output("kept"));
}

TEST_F(KeepGoingOn, AGoodTraceOfManyBlocksChangesNothing) {
    constexpr size_t smallest_event = 12;
    StreamBuilder& many = trace_.thread({.loom = "bad", .pid = 7, .tid = 9, .rank = 900, .nranks = 901});
    many.starts(1000, -1);
    for (int i = 0; i < 400; ++i) many.event("OB.", 1100 + i);
    many.ends(3000).checksums(smallest_event);
    fs::path directory = trace_.write();
    ASSERT_GT(fs::file_size(directory / "loom.bad/proc.7/thread.9/stream.crc"), 4096u);
    ASSERT_EQ(serial(directory, output("strict")).status, 0);
    for (int ranks : {0, 3}) {
        std::string out = "kept" + std::to_string(ranks);
        Finished kept = ranks == 0 ? serial(directory, output(out), {"--keep-going"})
                                   : distributed(ranks, directory, output(out), {"--keep-going"});
        EXPECT_EQ(kept.status, 0) << kept.err;
        expect_same(output("strict"), output(out));
    }
}

TEST_F(KeepGoingOn, LeavesOutAStreamWithGiantMetadata) {
    fs::path directory = trace_.write();
    fs::resize_file(directory / "loom.bad/proc.7/thread.7/stream.json", uintmax_t{1} << 40);
    Finished kept = serial(directory, output("kept"), {"--keep-going"});
    EXPECT_EQ(kept.status, 0) << kept.err;
    EXPECT_THAT(kept.err, HasSubstr("stream.json: it has 1099511627776 bytes, at most 67108864 are read"));
    EXPECT_THAT(kept.err, HasSubstr("--keep-going: 1 streams are left out"));
}

TEST_F(KeepGoingOn, LeavesOutThreadsWhoseCpusNobodyTellsAnyMore) {
    Identity knows{.loom = "cpus", .pid = 1, .tid = 11, .rank = 800, .nranks = 901, .cpus = {{0, 0}, {1, 1}}};
    Identity runs{.loom = "cpus", .pid = 1, .tid = 12, .rank = 800, .nranks = 901};
    trace_.thread(knows).starts(1000).ends(2000);
    trace_.thread(runs).starts(1000, 1).ends(2000);
    fs::path directory = trace_.write();
    write_file(directory / "loom.cpus/proc.1/thread.11/stream.json", "");
    Finished kept = serial(directory, output("kept"), {"--keep-going"});
    EXPECT_EQ(kept.status, 0) << kept.err;
    EXPECT_THAT(kept.err,
                HasSubstr("thread.12 is left out: it ran on a CPU that only a left-out stream describes"));
}

// On two ranks each reads one of the looms.
TEST_F(KeepGoingOn, ADamagedStreamLosesItsEventsIfItsFirstClockIsFarFromThoseOfOtherLooms) {
    constexpr int64_t far = int64_t{2} * 3600 * 1'000'000'000;
    TraceBuilder two;
    two.thread({.loom = "damaged", .tid = 1}).starts(far).ends(far + 10).truncate(3);
    two.thread({.loom = "good", .pid = 2, .tid = 2}).starts(10).ends(20);
    const fs::path directory = two.write();
    for (const Finished& kept : {serial(directory, output("one"), {"--keep-going"}),
                                 distributed(2, directory, output("two"), {"--keep-going"})}) {
        EXPECT_EQ(kept.status, 0) << kept.err;
        EXPECT_THAT(kept.err, HasSubstr("thread.1 has no event that can be read: it is damaged, and its "
                                        "first clock, 7200000000000, is more than an hour from"));
        EXPECT_THAT(kept.err, HasSubstr("0 streams are left out, 1 end too early"));
    }
    expect_same(output("one"), output("two"));
}

TEST_F(KeepGoingOn, ATraceInWhichNothingWasRecordedIsToldAsSuch) {
    TraceBuilder none;
    const fs::path directory = none.write();
    fs::create_directories(directory / "loom.a");
    for (const Finished& kept : {serial(directory, output("one"), {"--keep-going"}),
                                 distributed(2, directory, output("two"), {"--keep-going"})}) {
        EXPECT_EQ(kept.status, 0) << kept.err;
        EXPECT_THAT(kept.err, HasSubstr("no stream.json in it or below, nothing was recorded here"));
    }
}

TEST_F(KeepGoingOn, ATraceWithoutAnyGoodStreamIsAnErrorUnlessEmptyOnesAreAccepted) {
    TraceBuilder alone;
    alone.thread({.loom = "a", .tid = 1}).starts(10).ends(20);
    fs::path directory = alone.write();
    write_file(directory / "loom.a/proc.1/thread.1/stream.json", "");
    for (const Finished& refused : {serial(directory, output("one"), {"--keep-going"}),
                                    distributed(2, directory, output("two"), {"--keep-going"})}) {
        EXPECT_EQ(refused.status, 1) << refused.err;
        EXPECT_THAT(refused.err, HasSubstr("thread.1 is left out: "));
        EXPECT_THAT(refused.err, HasSubstr(directory.string() + ": nothing of the trace is left to emulate"));
        EXPECT_THAT(refused.err, Not(HasSubstr("no stream.json in it or below")));
    }
    EXPECT_FALSE(fs::exists(output("one")));
    EXPECT_FALSE(fs::exists(output("two")));
    for (const Finished& kept : {serial(directory, output("one"), {"--keep-going", "--empty-ok"}),
                                 distributed(2, directory, output("two"), {"--keep-going", "--empty-ok"})})
        EXPECT_EQ(kept.status, 0) << kept.err;
    expect_same(output("one"), output("two"));
}

}  // namespace
}  // namespace ovni::test
