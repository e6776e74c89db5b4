// --keep-going: events that the models refuse, in one process and on several ranks.
#include <fmt/format.h>

#include "tests/mpi/emulator_test.hpp"

namespace ovni::test {
namespace {

struct WrongEvent {
    const char* name;
    void (*before)(StreamBuilder&);
    void (*put)(StreamBuilder&);
    const char* cause;
};

void nothing(StreamBuilder&) {}
void open_state(StreamBuilder& stream) {
    stream.event("OM[", 2000, {i64(1), 6});
}
void end_thread(StreamBuilder& stream) {
    stream.event("OHe", 2000);
}

const WrongEvent wrong_events[] = {
    {"of no model", nothing, [](StreamBuilder& s) { s.event("~~~", 2000); }, "no model has the id '~'"},
    {"unknown", nothing, [](StreamBuilder& s) { s.event("OH?", 2000); }, "model ovni has no such event"},
    {"not required", nothing, [](StreamBuilder& s) { s.event("TCi", 2000); }, "model tampi is not enabled"},
    {"in a dead thread", end_thread, [](StreamBuilder& s) { s.event("OHr", 2000); }, "it is Dead"},
    {"pop of nothing", nothing,
     [](StreamBuilder& s) {
         s.event("OM]", 2000, {i64(1), 6});
     },
     "the stack is empty"},
    {"pop of another", open_state,
     [](StreamBuilder& s) {
         s.event("OM]", 2000, {i64(2), 6});
     },
     "1 is on top of the stack"},
    {"mark of no type", nothing,
     [](StreamBuilder& s) {
         s.event("OM[", 2000, {i64(1), 77});
     },
     "77"},
    {"no CPU", nothing, [](StreamBuilder& s) { s.event("OAs", 2000, {9}); }, "no CPU with index 9"},
    {"short payload", nothing, [](StreamBuilder& s) { s.event("OAs", 2000); }, "payload"},
};

class WrongEvents : public DistributedTest {
 protected:
    void SetUp() override {
        build(trace_, {.seed = 41, .looms = 2, .models = "6DKMOPV"});
        int tid = 0;
        for (const WrongEvent& wrong : wrong_events) {
            StreamBuilder& stream = thread(++tid);
            wrong.before(stream);
            good_.push_back(stream.bytes().size());
            wrong.put(stream);
            stream.event("OB.", 2500).ends(3000);
        }
    }
    StreamBuilder& thread(int tid) {
        std::string loom = tid % 2 ? "odd" : "even";
        return trace_.thread({.loom = loom, .pid = 7, .tid = tid, .rank = 900 + tid % 2, .nranks = 902})
            .mark(6, "stack", "phase")
            .set("nosv.can_breakdown", true)
            .starts(1000, -1)
            .event("OM[", 1100, {i64(4), 6})
            .event("OM]", 1200, {i64(4), 6});
    }
    Finished emulate(int ranks, const fs::path& directory, const std::string& name,
                     std::vector<std::string> options) {
        options.insert(options.end(), {"--keep-going", "--report", output(name + ".json").string()});
        return ranks == 0 ? serial(directory, output(name), options)
                          : distributed(ranks, directory, output(name), options, {"OVNI_TEST_WINDOW=300"});
    }
    void expect_same_from_ranks(int ranks, const std::vector<std::string>& options) {
        fs::path directory = trace_.write();
        Finished one = emulate(0, directory, "serial", options);
        EXPECT_EQ(one.status, 0) << one.err;
        Finished done = emulate(ranks, directory, "ranks", options);
        EXPECT_EQ(done.status, 0) << done.err;
        expect_same(output("serial"), output("ranks"));
        EXPECT_EQ(read_file(output("serial.json")), read_file(output("ranks.json")));
    }
    std::vector<size_t> good_;  // bytes before what is wrong
};

TEST_F(WrongEvents, EndTheirStreams) {
    Finished done = emulate(0, trace_.write(), "kept", {});
    EXPECT_EQ(done.status, 0) << done.err;
    std::string rows = read_file(output("kept") / "thread.row");
    int tid = 0;
    for (const WrongEvent& wrong : wrong_events) {
        SCOPED_TRACE(wrong.name);
        std::string name =
            fmt::format("thread.{} ends at byte {}: ", tid + 1, good_[static_cast<size_t>(tid)]);
        ++tid;
        size_t line = done.err.find(name);
        ASSERT_NE(line, std::string::npos) << done.err;
        EXPECT_THAT(done.err.substr(line, done.err.find('\n', line) - line), HasSubstr(wrong.cause));
        EXPECT_THAT(rows, HasSubstr("TH 1." + std::to_string(tid) + " (incomplete)\n"));
    }
    EXPECT_THAT(done.err, HasSubstr("--keep-going: 0 streams are left out, 9 end too early"));
}

TEST_F(WrongEvents, RanksEndTheStreamsThatOneProcessEnds) {
    expect_same_from_ranks(3, {});
}

TEST_F(WrongEvents, RanksEndTheSameStreamsInExactOrder) {
    // Those without any good event have no place in the order.
    for (int tid = 20; tid < 30; ++tid) thread(tid).content("");
    expect_same_from_ranks(2, {"--exact-order"});
}

TEST_F(WrongEvents, RanksEndTheSameStreamsWhereRegionsAreSorted) {
    expect_same_from_ranks(3, {"--sort", "-b"});
    Finished done = emulate(0, trace_.write(), "all", {"-a"});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(done.err, HasSubstr("8 end too early"));  // tampi is enabled
}

TEST_F(WrongEvents, AWrongEventEndsItsStreamAsIfItWereTornThere) {
    TraceBuilder torn, wrong;
    for (TraceBuilder* trace : {&torn, &wrong}) {
        StreamBuilder& stream = trace->thread({.loom = "a", .tid = 1}).mark(1, "stack", "phase").starts(10);
        stream.event("OM[", 20, {i64(1), 1}).event("OM[", 30, {i64(2), 1});
        trace == &torn ? stream.event("OB.", 50).truncate(1) : stream.event("OM]", 50, {i64(1), 1});
        trace->thread({.loom = "a", .tid = 2}).starts(10, -1).event("OAr", 40, {-1, 1}).ends(60);
    }
    EXPECT_EQ(emulate(0, torn.write(), "torn", {}).status, 0);
    EXPECT_EQ(emulate(0, wrong.write(), "wrong", {}).status, 0);
    expect_same(output("torn"), output("wrong"));
}

TEST_F(DistributedTest, WrongEventsEndManyStreamsOfALoom) {
    std::vector<size_t> good;
    for (int tid = 1; tid <= 40; ++tid) {
        StreamBuilder& stream = trace_.thread({.loom = "a", .tid = tid}).starts(10, -1);
        for (int i = 0; i < tid; ++i) stream.event("OB.", 20 + i);
        good.push_back(stream.bytes().size());
        stream.event("~~~", 100 - tid).ends(200);
    }
    trace_.thread({.loom = "b", .tid = 1}).starts(10).ends(150);
    fs::path directory = trace_.write();
    Finished done = serial(directory, output("out"), {"--keep-going"});
    EXPECT_EQ(done.status, 0) << done.err;
    for (int tid = 1; tid <= 40; ++tid)
        EXPECT_THAT(done.err, HasSubstr(fmt::format("thread.{} ends at byte {}:", tid,
                                                    good[static_cast<size_t>(tid) - 1])));
    EXPECT_THAT(done.err, HasSubstr("0 streams are left out, 40 end too early"));
}

TEST_F(DistributedTest, WrongEventsOfWhatIsNoThreadAreLeftOut) {
    trace_.thread({.loom = "a"}).starts(10).ends(20);
    trace_.thread({.loom = "b"}).set("ovni.part", "other").event("OB.", 15);
    Finished done = serial(trace_.write(), output("out"), {"--keep-going"});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(done.err, HasSubstr("has no event that can be read: it has events, but is not a thread's"));
}

// The stream ends where sorting begins: at the last event that is older than the region.
TEST_F(DistributedTest, WrongEventsInSortedRegionsEndTheStreamWhereSortingBegins) {
    StreamBuilder& stream = trace_.thread({.loom = "a"}).starts(10);
    size_t good = stream.bytes().size();
    stream.event("OB.", 20)
        .event("OB.", 40)
        .event("OU[", 50)
        .event("OB.", 30)
        .event("~~~", 35)
        .event("OU]", 60)
        .ends(70);
    Finished done = serial(trace_.write(), output("out"), {"--keep-going", "--sort"});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(done.err, HasSubstr(fmt::format("ends at byte {}:", good)));
}

TEST_F(DistributedTest, WrongEventsOfTheLinterStayErrors) {
    for (int tid : {1, 2}) trace_.thread({.loom = "a", .tid = tid}).starts(10 + tid).ends(90);
    fs::path directory = trace_.write();
    Finished crowded = serial(directory, output("crowded"), {"--keep-going", "-l"});
    EXPECT_EQ(crowded.status, 1);
    EXPECT_THAT(crowded.err, HasSubstr("0 end too early"));
    EXPECT_THAT(crowded.err, HasSubstr("more than one running thread on"));
    EXPECT_TRUE(fs::exists(output("crowded") / "thread.partial.prv"));
}

// All that is known of its clock is from before the damage.
TEST_F(DistributedTest, WrongEventsWhoseClockIsFarAwayLeaveNoneOfTheirStream) {
    trace_.thread({.loom = "a", .tid = 1}).starts(4'000'000'000'000).event("OB.", 50).ends(60);
    trace_.thread({.loom = "b", .tid = 2}).starts(20).ends(90);
    fs::path directory = trace_.write();
    Finished done = serial(directory, output("out"), {"--keep-going"});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(done.err,
                HasSubstr("thread.1 has no event that can be read: it is damaged, and its first clock, "));
}

}  // namespace
}  // namespace ovni::test
