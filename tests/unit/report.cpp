// ovniemu --report: what the document says of small traces.
#include <sys/resource.h>

#include <fstream>

#include "tests/unit/report_test.hpp"

namespace ovni::test {

namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// Two ranks: one sends 64 bytes, one receives them, sets marks, and has a gap.
class SmallReportTest : public ReportTest {
 protected:
    void SetUp() override {
        const std::vector<std::pair<std::string, std::string>> mpi = {{"ovni", "1.1.0"}, {"mpi", "1.1.0"}};
        trace_.thread({.loom = "a.x", .pid = 10, .tid = 11, .rank = 0, .nranks = 3, .require = mpi})
            .starts(1000)
            .event("MS[", 1010, {1, 7, u32(1), u32(0)})
            .event("MS]", 1040, {u64(64), 1, 7})
            .ends(1100)
            .set("ovni.command", {"./two", "ranks"});
        trace_.thread({.loom = "b.x", .pid = 20, .tid = 21, .rank = 1, .nranks = 3, .require = mpi})
            .mark(3, "single", "step", {{1, "first"}})
            .starts(1005)
            .event("MR[", 1010, {0, 7, u32(1), u32(0)})
            .event("MR]", 1060, {u64(64), 0, 7})
            .event("OM=", 1060, {i64(1), 3})
            .event("OM=", 1070, {i64(2), 3})
            .event("OM=", 1075, {i64(9), 3})
            .gap(1080, 1090, 5, "full")
            .ends(1100)
            .set("ovni.end", {{"by", "signal"}, {"code", 9}});
    }
};

TEST_F(SmallReportTest, TheReportHasEveryMember) {
    Json all = report();
    EXPECT_EQ(all["trace"]["directory"], trace_.path().string());
    all["trace"].erase("directory");
    EXPECT_TRUE(all["tool"].get<std::string>().starts_with("ovni-mpi "));
    all.erase("tool");
    const Json expected = Json::parse(R"json({
 "format": "ovni-mpi report", "version": 1, "complete": true, "error": null,
 "trace": {"run": null, "commands": ["./two ranks"], "libovni": ["1.14.0"],
  "models": [{"id": "M", "name": "mpi", "version": "1.4.0"}, {"id": "O", "name": "ovni", "version": "1.1.0"}],
  "duration": 100, "looms": 2, "processes": 2, "threads": 2, "cpus": 4, "streams": 2},
 "part": null,
 "in_short": [],
 "total": {
  "events": {"mpi": 4, "ovni": 7},
  "states": [
   {"type": 4, "title": "Thread: thread state", "values": [
    {"value": 1, "label": "Running", "ns": 185, "times": 3},
    {"value": 3, "label": "Dead", "ns": 0, "times": 2},
    {"value": 6, "label": "Not traced", "ns": 10, "times": 1}]},
   {"type": 6, "title": "Thread: CPU affinity", "values": [
    {"value": 1, "label": " CPU 0.0", "ns": 100, "times": 1},
    {"value": 3, "label": " CPU 1.0", "ns": 95, "times": 1}]},
   {"type": 25, "title": "MPI function of the RUNNING thread", "values": [
    {"value": 12, "label": "MPI_Recv", "ns": 50, "times": 1},
    {"value": 13, "label": "MPI_Send", "ns": 30, "times": 1}]},
   {"type": 103, "title": "step", "values": [
    {"value": null, "label": null, "ns": 10, "times": 2},
    {"value": 1, "label": "first", "ns": 10, "times": 1}]}],
  "mpi": [
   {"function": "MPI_Recv", "calls": 1, "ns": 50, "sent": 0, "received": 64},
   {"function": "MPI_Send", "calls": 1, "ns": 30, "sent": 64, "received": 0}],
  "callsites": [], "locks": [], "regions": []},
 "processes": [
  {"loom": "a.x", "host": "a", "pid": 10, "application": 1, "rank": 0, "ranks": 3, "threads": 1,
   "events": {"mpi": 2, "ovni": 2},
   "states": [
    {"type": 4, "title": "Thread: thread state", "values": [
     {"value": 1, "label": "Running", "ns": 100, "times": 1},
     {"value": 3, "label": "Dead", "ns": 0, "times": 1}]},
    {"type": 6, "title": "Thread: CPU affinity", "values": [
     {"value": 1, "label": " CPU 0.0", "ns": 100, "times": 1}]},
    {"type": 25, "title": "MPI function of the RUNNING thread", "values": [
     {"value": 13, "label": "MPI_Send", "ns": 30, "times": 1}]}],
   "mpi": [{"function": "MPI_Send", "calls": 1, "ns": 30, "sent": 64, "received": 0}],
   "callsites": [], "locks": [], "regions": []},
  {"loom": "b.x", "host": "b", "pid": 20, "application": 1, "rank": 1, "ranks": 3, "threads": 1,
   "events": {"mpi": 2, "ovni": 5},
   "states": [
    {"type": 4, "title": "Thread: thread state", "values": [
     {"value": 1, "label": "Running", "ns": 85, "times": 2},
     {"value": 3, "label": "Dead", "ns": 0, "times": 1},
     {"value": 6, "label": "Not traced", "ns": 10, "times": 1}]},
    {"type": 6, "title": "Thread: CPU affinity", "values": [
     {"value": 3, "label": " CPU 1.0", "ns": 95, "times": 1}]},
    {"type": 25, "title": "MPI function of the RUNNING thread", "values": [
     {"value": 12, "label": "MPI_Recv", "ns": 50, "times": 1}]},
    {"type": 103, "title": "step", "values": [
     {"value": null, "label": null, "ns": 10, "times": 2},
     {"value": 1, "label": "first", "ns": 10, "times": 1}]}],
   "mpi": [{"function": "MPI_Recv", "calls": 1, "ns": 50, "sent": 0, "received": 64}],
   "callsites": [], "locks": [], "regions": []}],
 "gaps": {"lost": 5, "reasons": [{"reason": "full", "gaps": 1, "lost": 5}],
  "list": [{"stream": "loom.b.x/proc.20/thread.21", "from": 80, "to": 90, "lost": 5, "reason": "full"}]},
 "damages": null,
 "ended_by_force": [{"stream": "loom.b.x/proc.20/thread.21", "by": "signal", "code": 9, "clock": null}],
 "waiting": [],
 "deadlocks": [],
 "lock_waits": [],
 "lock_deadlocks": [],
 "messages": null,
 "collectives": null,
 "waits": null,
 "efficiencies": null,
 "critical_path": null,
 "hybrid": null,
 "missing_ranks": [{"application": 1, "missing": 1, "ranks": 3, "first": 2}],
 "clocks": {"hosts": 2, "measured": 0, "bound": null, "drift_corrected": false,
  "extrapolated_before": 0, "extrapolated_after": 0},
 "ties": 0, "crowded_cpus": [],
 "oddities": {"ends_after_gap": 0, "old_events": 0, "slow_flushes": 0, "nested_tasks": 0, "lost_targets": 0, "lost_states": 0},
 "faults": [],
 "warnings": [
  "1 of 2 streams were not ended by their program (1 by a signal): their last states last until then, or to their last event",
  "1 of 3 ranks of application 1 have no stream, the first is rank 2 (started without ovnirun? killed? nothing recorded by --control? or is the trace directory not shared by all nodes?)",
  "5 events of 1 thread were lost (full)",
  "no clock offset is known of 2 hosts, whose clocks cannot be compared: see ovnirun --sync and ovnisync"]})json");
    EXPECT_EQ(all.dump(1), expected.dump(1));
}

// The peak memory of processes that ran so far, in KiB.
long peak_memory() {
    struct rusage usage {};
    ::getrusage(RUSAGE_CHILDREN, &usage);
    return usage.ru_maxrss;
}

TEST_F(ReportTest, NeedsNoMemoryForEvents) {
    StreamBuilder& stream = trace_.thread().starts(0);
    for (int i = 1; i < 2'000'000; ++i) stream.event("OB.", i);
    stream.ends(2'000'000);
    std::string trace = trace_.write();
    EXPECT_EQ(run({program("ovniemu"), trace}).status, 0);
    constexpr long much = 20'000;
    long without = peak_memory();
    EXPECT_EQ(run({program("ovniemu"), "--report", file(), trace}).status, 0);
    EXPECT_LT(peak_memory(), without + much);
}

TEST_F(ReportTest, SaysWhatIsOddAndWrong) {
    trace_.thread({.tid = 1}).starts(10).event("OHp", 30).event("OHr", 40);
    trace_.thread({.tid = 2}).starts(20).ends(60);
    Finished done = emulate();
    EXPECT_EQ(done.status, 1);
    Json all = Json::parse(read_file(file()));
    EXPECT_EQ(all["complete"], true);
    ASSERT_EQ(all["crowded_cpus"].size(), 1u);
    EXPECT_EQ(all["crowded_cpus"][0].dump(), R"({"cpu":" CPU 0.0","times":2,"ns":30,"displaced":null})");
    ASSERT_EQ(all["faults"].size(), 1u);
    EXPECT_EQ(all["faults"][0]["stream"], "loom.node0.a/proc.1/thread.1");
    EXPECT_THAT(all["faults"][0]["text"].get<std::string>(), HasSubstr("thread 1 is Running at the end"));
    EXPECT_EQ(all["ties"], 0);
}

// They take no time, and other values than those with labels count together.
TEST_F(ReportTest, CountsPunctualStates) {
    trace_.thread()
        .mark(7, "single", "marker", {{3, "three"}})
        .set("ovni.mark.7.punctual", true)
        .starts(10)
        .event("OM=", 20, {i64(3), 7})
        .event("OM=", 20, {i64(4), 7})
        .event("OM=", 30, {i64(3), 7})
        .event("OM=", 40, {i64(5), 7})
        .ends(50);
    Json states = report()["total"]["states"];
    EXPECT_EQ(states.back()["title"], "marker");
    EXPECT_EQ(
        states.back()["values"].dump(),
        R"([{"value":null,"label":null,"ns":0,"times":2},{"value":3,"label":"three","ns":0,"times":2}])");
}

// The least number there is is a value like others.
TEST_F(ReportTest, TellsValuesWithoutLabelFromAllOthers) {
    trace_.thread()
        .mark(7, "stack", "depth", {{INT64_MIN, "least"}, {INT64_MAX, "most"}})
        .starts(100)
        .event("OM[", 200, {i64(INT64_MIN), 7})
        .event("OM]", 210, {i64(INT64_MIN), 7})
        .event("OM[", 220, {i64(5), 7})
        .event("OM]", 225, {i64(5), 7})
        .event("OM[", 230, {i64(INT64_MAX), 7})
        .event("OM]", 250, {i64(INT64_MAX), 7})
        .ends(300);
    EXPECT_EQ(
        report()["total"]["states"].back()["values"].dump(),
        R"([{"value":null,"label":null,"ns":5,"times":1},{"value":-9223372036854775808,"label":"least","ns":10,"times":1},{"value":9223372036854775807,"label":"most","ns":20,"times":1}])");
}

TEST_F(ReportTest, SumsDoNotOverflow) {
    constexpr int64_t last = INT64_MAX - 5;
    for (int tid : {1, 2, 3})
        trace_
            .thread({.tid = tid,
                     .cpus = {{0, 0}, {1, 1}, {2, 2}},
                     .require = {{"ovni", "1.1.0"}, {"mpi", "1.1.0"}}})
            .starts(1, tid - 1)
            .event("MS[", 10, {0, 0, u32(1), u32(0)})
            .event("MS]", 20, {u64(UINT64_MAX), 0, 0})
            .gap(INT64_MIN, -1, UINT64_MAX, "early")
            .gap(100, last - 100, UINT64_MAX, "full")
            .ends(last);
    Json all = report();
    EXPECT_EQ(all["total"]["mpi"][0]["sent"], UINT64_MAX);
    EXPECT_EQ(all["processes"][0]["mpi"][0]["sent"], UINT64_MAX);
    EXPECT_EQ(all["gaps"]["lost"], UINT64_MAX);
    EXPECT_EQ(all["gaps"]["reasons"][1]["lost"], UINT64_MAX);
    Json states = all["total"]["states"][0]["values"];
    EXPECT_EQ(states.back()["label"], "Not traced");
    EXPECT_EQ(states.back()["ns"], UINT64_MAX);
    EXPECT_EQ(all["gaps"]["list"][0]["from"], 0);
    EXPECT_EQ(all["gaps"]["list"][0]["to"], 0);
    EXPECT_EQ(all["gaps"]["list"][1]["to"], last - 101);
}

// A clock that is off is corrected, and times within a thread stay.
TEST_F(ReportTest, SaysWhatClocksAreWorth) {
    trace_.thread().starts(1000).ends(2000);
    trace_.file("clocks.json",
                R"({"version": 1, "reference": "node0", "nodes": [{"host": "node0", "segments": [
        {"local": 1200, "offset": 0, "rate_ppb": 0, "low": -30, "high": 20, "round_trip": 50, "samples": 1, "method": "x"}
        ]}]})");
    Json clocks = report()["clocks"];
    EXPECT_EQ(clocks["measured"], 1);
    EXPECT_EQ(clocks["bound"], 30);
}

TEST_F(ReportTest, AWrongEventMakesAPartialReport) {
    trace_.thread({.tid = 1}).starts(10).event("OHp", 30).event("OHp", 40).event("OHr", 50).ends(60);
    trace_.thread({.tid = 2, .cpus = {{0, 0}, {1, 1}}})
        .starts(20, 1)
        .event("OB.", 35)
        .event("OB.", 45)
        .ends(60);
    std::ofstream(file()) << "of an earlier emulation";
    Finished done = emulate();
    EXPECT_EQ(done.status, 1);
    EXPECT_EQ(read_file(file()), "of an earlier emulation");
    Json all = Json::parse(read_file(file("report.partial.json")));
    EXPECT_EQ(all["complete"], false);
    EXPECT_THAT(all["error"].get<std::string>(), HasSubstr("event OHp at clock 40 (time 30): "));
    EXPECT_EQ(all["total"]["events"].dump(), R"({"ovni":4})");
    EXPECT_EQ(all["trace"]["duration"], 30);
    for (const char* unknown : {"ties", "faults", "crowded_cpus", "oddities"})
        EXPECT_TRUE(all[unknown].is_null());
}

TEST_F(ReportTest, ACompleteReportReplacesAPartialOne) {
    trace_.thread().starts(10).ends(20);
    std::ofstream(file("report.partial.json")) << "of an earlier emulation";
    EXPECT_EQ(report()["total"]["events"]["ovni"], 2);
    EXPECT_FALSE(fs::exists(file("report.partial.json")));
}

TEST_F(ReportTest, SaysWhatWasLeftOut) {
    trace_.thread({.tid = 1}).starts(10).ends(60);
    trace_.thread({.tid = 2}).json_text("{");
    Json damages = report({"--keep-going"})["damages"];
    ASSERT_EQ(damages.size(), 1u);
    EXPECT_EQ(damages[0]["stream"], "loom.node0.a/proc.1/thread.2");
    EXPECT_THAT(damages[0]["cause"].get<std::string>(), HasSubstr("not valid JSON"));
    EXPECT_TRUE(damages[0]["good_bytes"].is_null());
}

TEST_F(ReportTest, FilesInTheOutputDirectoryChangeNothing) {
    trace_.thread().starts(10).ends(20);
    fs::path output = file("output");
    std::string first = report({"-o", output}).dump();
    ASSERT_TRUE(fs::exists(output / "cfg"));
    EXPECT_EQ(report({"-o", output}).dump(), first);
}

TEST_F(ReportTest, TellsEachWarningOnce) {
    trace_.thread().starts(10).ends(20).gaps_text("");
    Finished done = emulate();
    EXPECT_EQ(done.status, 0);
    const std::string warning = "is empty: where events are missing is unknown";
    size_t first = done.err.find(warning);
    ASSERT_NE(first, std::string::npos);
    EXPECT_EQ(done.err.find(warning, first + 1), std::string::npos) << done.err;
}

TEST_F(ReportTest, AnEmptyTraceHasAnEmptyReport) {
    Json all = report({"--empty-ok"});
    EXPECT_EQ(all["processes"], Json::array());
    EXPECT_EQ(all["trace"]["duration"], 0);
}

TEST_F(ReportTest, AReportThatCannotBeWrittenIsAnErrorBeforeAnythingElse) {
    trace_.thread().starts(10).ends(20);
    fs::path directory = trace_.write();
    Finished done = run({program("ovniemu"), "--report", "/proc/nowhere/x.json", directory.string()});
    EXPECT_EQ(done.status, 1);
    EXPECT_THAT(done.err, HasSubstr("/proc/nowhere/x.json: cannot create"));
    EXPECT_FALSE(fs::exists(directory / "thread.prv"));
    EXPECT_FALSE(fs::exists(directory / "cfg"));
}

TEST_F(ReportTest, NeedsAFile) {
    EXPECT_EQ(run({program("ovniemu"), "--report"}).status, 2);
    EXPECT_THAT(run({program("ovniemu"), "--help"}).out, HasSubstr("--report FILE"));
}

}  // namespace

}  // namespace ovni::test
