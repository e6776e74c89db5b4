// The generator of random traces: that over some seeds it brings up everything, and that emulation takes it.
#include "tests/support/random_trace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/file.hpp"
#include "model/model_spec.hpp"
#include "tests/support/process.hpp"
#include "tests/support/random/tables.hpp"
#include "trace/trace.hpp"

namespace ovni::test {

namespace {

// One event with what tells streams apart.
struct Seen {
    EventCode code;
    int64_t clock;
    uint32_t stream;
    std::string loom, process;
    std::vector<uint8_t> payload;

    uint32_t word(size_t at) const { return ovni_format_load_u32(payload.data() + 4 * at); }
};

std::vector<Seen> events_of(const TraceBuilder& builder) {
    Trace trace = Trace::open(builder.write());
    std::vector<Seen> seen;
    for (uint32_t i = 0; i < trace.streams().size(); ++i) {
        const std::string path = trace.streams()[i].relative_path();
        StreamReader reader = trace.reader(i, 0, ClockOrder::checked);
        while (reader.next()) {
            auto payload = reader.event().payload();
            seen.push_back({reader.event().code,
                            reader.event().clock,
                            i,
                            path.substr(0, path.find('/')),
                            path.substr(0, path.rfind('/')),
                            {payload.begin(), payload.end()}});
        }
    }
    std::ranges::stable_sort(seen, {}, &Seen::clock);
    return seen;
}

std::vector<Seen> events_of(const RandomTrace& what) {
    TraceBuilder trace;
    build(trace, what);
    return events_of(trace);
}

int ties(const std::vector<Seen>& events, bool within) {
    int count = 0;
    for (size_t i = 1; i < events.size(); ++i)
        if (events[i].clock == events[i - 1].clock && (events[i].stream == events[i - 1].stream) == within)
            ++count;
    return count;
}

TEST(RandomTrace, BringsUpEveryEvent) {
    std::set<std::string> missing, unknown;
    for (const auto& [id, table] : random_trace::model_tables())
        for (EventCode code : table.declared) missing.insert(code.text().data());
    EXPECT_EQ(missing.size(), 365U);
    const std::set<std::string> declared = missing;
    for (uint32_t seed = 1; seed <= 6; ++seed)
        for (const Seen& event : events_of({.seed = seed, .looms = 3, .models = every_model})) {
            missing.erase(event.code.text().data());
            if (!declared.contains(event.code.text().data())) unknown.insert(event.code.text().data());
        }
    EXPECT_EQ(missing, std::set<std::string>());
    EXPECT_EQ(unknown, std::set<std::string>({"6TC"}));
}

TEST(RandomTrace, KeepsToItsModels) {
    for (const Seen& event : events_of({.seed = 3, .looms = 1, .models = "TV"}))
        EXPECT_NE(std::string("OTV").find(event.code.model()), std::string::npos) << event.code.text().data();
}

TEST(RandomTrace, TheSeedDecides) {
    TraceBuilder one, same, other;
    build(one, {.seed = 4, .models = every_model});
    build(same, {.seed = 4, .models = every_model});
    build(other, {.seed = 5, .models = every_model});
    std::filesystem::path stream = "loom.node0.x/proc.9/thread.97";
    for (const char* file : {"stream.obs", "stream.json"}) {
        EXPECT_EQ(read_file(one.write() / stream / file), read_file(same.write() / stream / file));
        EXPECT_NE(read_file(one.path() / stream / file), read_file(other.write() / stream / file));
    }
}

TEST(RandomTrace, ClocksAreDistinctIfAskedFor) {
    std::set<int64_t> clocks;
    std::vector<Seen> events =
        events_of({.seed = 5, .models = every_model, .ties_within = 0, .ties_between = 0});
    for (const Seen& event : events) clocks.insert(event.clock);
    EXPECT_EQ(clocks.size(), events.size());
}

TEST(RandomTrace, ClocksAreEqualAsOftenAsAskedFor) {
    int before = 0;
    for (int chance : {20, 50, 80}) {
        std::vector<Seen> events = events_of({.seed = 6, .ties_within = chance, .ties_between = chance});
        EXPECT_GT(ties(events, true), 0);
        EXPECT_GT(ties(events, false), before);
        before = ties(events, false);
    }
    EXPECT_EQ(ties(events_of({.seed = 6, .ties_between = 0}), false), 0);
}

TEST(RandomTrace, ClockOffsetsPullTheClocksOfHostsApart) {
    TraceBuilder trace;
    build(trace, {.seed = 7, .looms = 2, .clock_offsets = true});
    std::map<std::string, int64_t> first;
    for (const Seen& event : events_of(trace)) first.emplace(event.loom, event.clock);
    EXPECT_GT(std::abs(first.at("loom.node0.x") - first.at("loom.node1.x")), 1000);
    EXPECT_TRUE(std::filesystem::exists(trace.path() / "clock-offsets.txt"));
}

// The history of a task that its events alone do not say.
struct TaskHistory {
    uint32_t creator;
    bool parallel;
    std::set<uint32_t> threads = {};
    std::map<uint32_t, int> bodies = {};
};

TEST(RandomTrace, TasksDoWhatTasksMayDo) {
    bool elsewhere = false, resurrected = false, many_bodies = false, nested = false, nested_running = false;
    for (uint32_t seed = 1; seed <= 3; ++seed) {
        std::map<std::pair<std::string, uint32_t>, TaskHistory> nosv;
        std::map<uint32_t, int> depth, running;
        for (const Seen& event : events_of({.seed = seed, .models = every_model})) {
            if (event.code.model() == 'V' && event.code.category() == 'T') {
                auto key = std::pair(event.process, event.word(0));
                TaskHistory& task =
                    nosv.try_emplace(key, TaskHistory{event.stream, event.code == "VTC"}).first->second;
                if (event.code == "VTx") {
                    elsewhere |= event.stream != task.creator;
                    resurrected |= ++task.bodies[event.word(1)] > 1;
                    many_bodies |= task.bodies.size() > 1;
                    nested |= ++depth[event.stream] > 2;
                } else if (event.code == "VTe") {
                    --depth[event.stream];
                }
            }
            if (event.code == "6Tx" || event.code == "6Tr") nested_running |= ++running[event.stream] > 1;
            if (event.code == "6Te" || event.code == "6Tp") --running[event.stream];
        }
    }
    EXPECT_TRUE(elsewhere);
    EXPECT_TRUE(resurrected);
    EXPECT_TRUE(many_bodies);
    EXPECT_TRUE(nested);
    EXPECT_TRUE(nested_running);
}

std::string known_models() {
    std::string ids;
    for (const ModelSpec* model : all_models())
        if (model->origin == Origin::reference) ids += model->id;
    return ids;
}

class RandomTraceEmulation : public testing::TestWithParam<RandomTrace> {};

TEST_P(RandomTraceEmulation, OvniemuAcceptsARandomTrace) {
    RandomTrace what = GetParam();
    what.models = known_models();
    what.looms = 3;
    TraceBuilder trace;
    build(trace, what);
    std::vector<std::string> words = {program("ovniemu"), trace.write()};
    if (!what.leave_open && !what.crowded) words.insert(words.begin() + 1, "-l");
    Finished done = run(words);
    EXPECT_EQ(done.status, 0) << done.err;
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, RandomTraceEmulation,
    testing::Values(RandomTrace{.seed = 1}, RandomTrace{.seed = 2, .ranks = Ranks::mixed, .apps = 3},
                    RandomTrace{.seed = 3, .punctual = false, .hosts = 2, .ranks = Ranks::none},
                    RandomTrace{.seed = 4, .hosts = 2, .clock_offsets = true, .ties_between = 90},
                    RandomTrace{.seed = 5, .threads = 4, .equal_tids = true, .ties_within = 90},
                    RandomTrace{.seed = 6, .cpus = 1, .crowded = true},
                    RandomTrace{.seed = 7, .counters = 0, .leave_open = true},
                    RandomTrace{.seed = 8, .marks = 0, .can_breakdown = CanBreakdown::some}),
    [](const auto& each) { return "Seed" + std::to_string(each.param.seed); });

TEST(RandomTraceProgram, WritesATrace) {
    TemporaryDirectory directory;
    std::string program = BUILD_DIR "/bin/random-trace", place = directory.path() / "trace";
    Finished done = run({program, "--looms", "2", "--events", "20", "--ranks", "mixed", "--distinct", place});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(Trace::open(place).streams().size(), 8U);
    EXPECT_EQ(run({program, place}).status, 1) << "written over a trace";
    EXPECT_EQ(run({program, "--ranks", "some", directory.path() / "other"}).status, 2);
    EXPECT_EQ(run({program, "--models", "OX", directory.path() / "other"}).status, 1);
    EXPECT_NE(run({program, "--help"}).out.find("--ties-between"), std::string::npos);
}

}  // namespace

}  // namespace ovni::test
