// --html: the data of the page against the report of the same run, for any number of ranks and any names.
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "messages/waits/waits.hpp"
#include "tests/mpi/emulator_test.hpp"

namespace ovni::test {
namespace {

class PageTest : public DistributedTest {
 protected:
    std::vector<std::string> page_to(const std::string& name) {
        return {"--html", output(name + ".html").string(), "--report", output(name + ".json").string()};
    }
    std::string page_text(const std::string& name) { return read_file(output(name + ".html")); }
    Json report(const std::string& name) { return Json::parse(read_file(output(name + ".json"))); }
    // The data of a page: what stands in its element.
    static Json data_of(const std::string& page) {
        const std::string begin = R"(<script type="application/json" id="data">)";
        const size_t at = page.find(begin) + begin.size();
        return Json::parse(page.substr(at, page.find("</script>", at) - at));
    }
    Json emulated() {
        const fs::path directory = trace_.write();
        const Finished done = serial(directory, output("serial"), page_to("serial"));
        EXPECT_EQ(done.status, 0) << done.err;
        return data_of(page_text("serial"));
    }
    // All who may share the work write equal bytes, in windows of any size.
    Json expect_same_pages(int status = 0, const std::string& inserted = "",
                           const std::vector<std::string>& further = {}) {
        const fs::path directory = trace_.write();
        const auto options_to = [&](const std::string& name) {
            std::vector<std::string> options = page_to(name);
            options.insert(options.end(), further.begin(), further.end());
            return options;
        };
        const Finished expected = serial(directory, output("serial"), options_to("serial"));
        EXPECT_EQ(expected.status, status) << expected.err;
        const std::string text = page_text("serial" + inserted);
        for (const Workers& workers : every_sharing) {
            const std::string name = workers.name();
            const Finished done = shared(workers, directory, output(name), options_to(name),
                                         {"OVNI_TEST_WINDOW=" + std::to_string(workers.number * 150)});
            EXPECT_EQ(done.status, status) << done.err;
            EXPECT_TRUE(text == page_text(name + inserted)) << name;
        }
        return data_of(text);
    }
    StreamBuilder& rank(int rank, int ranks, const std::string& loom, int cpu = 0) {
        return trace_.thread({.loom = loom,
                              .pid = rank + 1,
                              .tid = rank + 1,
                              .rank = rank,
                              .nranks = ranks,
                              .cpus = {{cpu, cpu}},
                              .require = {{"ovni", "1.1.0"}, {"mpi", "1.1.0"}}});
    }
    // Ranks that enter a barrier again and again, each time another one as the last; in two regions.
    void add_barriers(int ranks, int barriers, int ranks_of_loom = 1) {
        constexpr int64_t step = 1000;
        constexpr int region = 99;
        for (int r = 0; r < ranks; ++r) {
            const int cpu = r % ranks_of_loom;
            StreamBuilder& stream = rank(r, ranks, "node" + std::to_string(r / ranks_of_loom) + ".a", cpu);
            stream.mark(region, "stack", "MPI_Pcontrol region", {{1001, "first"}, {1002, "second"}});
            stream.set("ovni.run", "a-run").starts(1, cpu).event("MUi", 2).event("MUI", 3);
            for (int i = 0; i < barriers; ++i) {
                const int64_t clock = step * (i + 1);
                const int late = (r + i) % ranks == 0 ? 500 : r;
                stream.event("OM[", clock - 10, {i64(i % 2 == 0 ? 1001 : 1002), region})
                    .event("MCb", clock + late, {-1, u32(1), u64(0)})
                    .event("MCB", clock + 520, {u64(0)})
                    .event("OM]", clock + 600, {i64(i % 2 == 0 ? 1001 : 1002), region});
            }
            const int64_t end = step * (barriers + 2);
            stream.event("MUf", end).event("MUF", end + 1).ends(end + 10);
        }
    }
};

TEST_F(PageTest, SaysWhatTheReportSays) {
    add_barriers(4, 20);
    const Json page = emulated(), report = this->report("serial");
    for (const auto& [name, member] : report.items()) {
        if (name == "processes" || name == "messages") continue;
        EXPECT_EQ(page["report"][name], member) << name;
    }
    EXPECT_EQ(page["left_out"], Json::object());
    EXPECT_EQ(page["report"]["messages"]["matched"], report["messages"]["matched"]);
    std::map<std::pair<std::string, std::string>, Json> times;
    for (const Json& process : report["processes"])
        for (const Json& of : process["mpi"])
            times[{"rank " + process["rank"].dump(), of["function"]}] =
                Json::array({of["calls"], of["ns"], of["sent"], of["received"]});
    const Json& functions = page["functions"];
    EXPECT_EQ(functions["cells"].size(), times.size());
    for (const Json& cell : functions["cells"])
        EXPECT_EQ((Json::array({cell[2], cell[3], cell[4], cell[5]})),
                  (times[{functions["names"][cell[0].get<size_t>()],
                          functions["functions"][cell[1].get<size_t>()]}]));
}

// Times in the details of the whole run add up to those of the report.
TEST_F(PageTest, TimelineHasTheTimesOfTheReport) {
    add_barriers(3, 30);
    const Json page = emulated(), report = this->report("serial");
    const Json& timeline = page["timeline"];
    ASSERT_EQ(timeline["windows"][0]["clips"].size(), 3u);
    const auto barrier = std::ranges::find_if(
        timeline["categories"], [](const Json& category) { return category["name"] == "MPI_Barrier"; });
    const auto place = static_cast<size_t>(barrier - timeline["categories"].begin());
    for (const Json& clip : timeline["windows"][0]["clips"]) {
        int64_t time = 0, since = -1, sum = 0;
        for (size_t i = 0; i < clip[2].size(); i += 2) {
            time += clip[2][i].get<int64_t>();
            const size_t code = clip[2][i + 1];
            if (code % 3 != 0) continue;
            if (since >= 0) sum += time - std::exchange(since, -1);
            if (code / 3 == place) since = time;
        }
        int64_t expected = 0;
        for (const Json& of : report["processes"][clip[0].get<size_t>()]["mpi"])
            if (of["function"] == "MPI_Barrier") expected = of["ns"];
        EXPECT_EQ(sum, expected);
    }
}

TEST_F(PageTest, EachLongWaitAndRegionHasAWindow) {
    add_barriers(4, 20);
    const Json page = emulated(), report = this->report("serial");
    std::vector<std::pair<int64_t, int64_t>> shown, longest;
    std::vector<std::string> regions;
    for (const Json& window : page["timeline"]["windows"]) {
        if (window["kind"] == "wait") shown.emplace_back(window["wait"][0], window["wait"][1]);
        if (window["kind"] != "region") continue;
        regions.push_back(page["timeline"]["regions"][window["region"].get<size_t>() - 1]);
        EXPECT_EQ(window["to"].get<int64_t>() - window["from"].get<int64_t>(), 610);
        EXPECT_EQ(window["clips"].size(), 4u);
    }
    for (const Json& wait : report["waits"]["longest"]) longest.emplace_back(wait["from"], wait["to"]);
    EXPECT_FALSE(longest.empty());
    std::ranges::sort(shown);
    std::ranges::sort(longest);
    EXPECT_EQ(shown, longest);
    EXPECT_EQ(regions, (std::vector<std::string>{"first", "second"}));
}

// A page has the first instances of more regions than it has colours for, each with its name.
TEST_F(PageTest, MostRegionsHaveAWindow) {
    constexpr int region = 99, regions = 150;
    std::vector<std::pair<int64_t, std::string>> labels;
    for (int r = 1; r <= regions; ++r) labels.emplace_back(r, "region " + std::to_string(r));
    StreamBuilder& stream = rank(0, 1, "node0.a").mark(region, "stack", "MPI_Pcontrol region", labels);
    stream.starts(1);
    for (int64_t r = 1; r <= regions; ++r)
        stream.event("OM[", 100 * r, {i64(r), region}).event("OM]", 100 * r + 50 - r / 10, {i64(r), region});
    stream.ends(100 * regions + 100);
    const Json timeline = expect_same_pages()["timeline"];
    EXPECT_EQ(timeline["entered_regions"], regions);
    int number = 0;
    for (const Json& window : timeline["windows"]) {
        if (window["kind"] != "region") continue;
        EXPECT_EQ(window["name"], "region " + std::to_string(++number));
        EXPECT_EQ(window["clips"].size(), 1u);
    }
    EXPECT_EQ(number, 128);
}

TEST_F(PageTest, SaysWhenTheRunBegan) {
    add_barriers(1, 1);
    EXPECT_TRUE(emulated()["began"].is_null());
    rank(1, 2, "node1.a").set("ovni.run", "a-run").set("ovni.began", 1'700'000'000).starts(1).ends(100);
    EXPECT_EQ(expect_same_pages()["began"], 1'700'000'000);
}

TEST_F(PageTest, ShowsSubsystemsOfTaskRuntimes) {
    trace_.thread({.loom = "a", .tid = 1, .require = {{"ovni", "1.1.0"}, {"nanos6", "1.0.0"}}})
        .starts(1)
        .event("6W[", 10)
        .event("6W]", 90)
        .ends(100);
    trace_.thread({.loom = "b", .tid = 2, .require = {{"ovni", "1.1.0"}, {"nosv", "2.0.0"}}})
        .starts(1)
        .event("VS[", 10)
        .event("VS]", 50)
        .ends(100);
    const Json page = emulated();
    std::set<std::string> shown;
    for (const Json& category : page["timeline"]["categories"])
        if (category["kind"] == "task") shown.insert(category["name"]);
    EXPECT_THAT(shown, testing::ElementsAre("Scheduler: Serving", "Worker: Looking for work"));
}

TEST_F(PageTest, AnEmptyTraceHasAPageWithoutRows) {
    const Json page = expect_same_pages(0, "", {"--empty-ok"});
    EXPECT_TRUE(page["timeline"]["rows"]["names"].empty());
}

TEST_F(PageTest, ADamagedTraceHasAWholePageIfItMayKeepGoing) {
    add_barriers(3, 10);
    rank(3, 4, "node3.a").starts(5).event("MCB", 5000, {u64(0)}).ends(6000);
    const Json page = expect_same_pages(0, "", {"--keep-going"});
    EXPECT_EQ(page["report"]["damages"].size(), 1u);
    EXPECT_FALSE(fs::exists(output("serial.partial.html")));
}

TEST_F(PageTest, ExplainsEveryKindOfWait) {
    add_barriers(2, 2);
    emulated();
    const std::string text = page_text("serial");
    for (const std::string_view name : wait_names)
        EXPECT_TRUE(name.empty() || text.find("\"" + std::string(name) + "\": \"") != std::string::npos)
            << name;
}

TEST_F(PageTest, AnyNumberOfRanksWritesTheSameBytes) {
    add_barriers(5, 60);
    build(trace_, {.seed = 41, .looms = 3, .events = 800, .models = every_model, .hosts = 2, .apps = 2});
    expect_same_pages();
}

TEST_F(PageTest, ManyRowsAreFoldedAndTheSameForAnyNumberOfRanks) {
    constexpr int ranks = 72, ranks_of_loom = 24;
    add_barriers(ranks, 3, ranks_of_loom);
    const Json page = expect_same_pages();
    EXPECT_EQ(page["timeline"]["hosts"]["names"], (Json{"node0", "node1", "node2"}));
    EXPECT_EQ(page["timeline"]["hosts"]["cells"].size(), 3u);
    EXPECT_EQ(page["timeline"]["rows"]["cells"].size(), size_t{ranks});
}

// The values of a counter in columns; `parts` make one.
std::vector<double> counts_of(const Json& text, double parts = 1) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::vector<double> values;
    const std::string all = text;
    for (size_t at = 0; at < all.size();) {
        if (all[at] == '.') {
            values.push_back(values.back());
            ++at;
            continue;
        }
        const auto number = static_cast<double>(64 * digits.find(all[at]) + digits.find(all[at + 1]));
        values.push_back(number > 0 ? std::exp2((number - 1) / 63) / parts : 0);
        at += 2;
    }
    return values;
}

TEST_F(PageTest, CountersStandWhereTheyWereCounted) {
    StreamBuilder& first = rank(0, 2, "node0.a");
    first.set("ovni.counters", {"page-faults", "rss"}).set("ovni.require.counters", "1.1.0");
    first.starts(0)
        .event("C4A", 100, {u32(1024)})
        .event("OHp", 100)
        .event("OHr", 500)
        .event("C4A", 600, {u32(64)})
        .event("CRm", 600, {u64(4096), u64(4096)})
        .event("C4A", 600, {u32(1)})
        .ends(700);
    StreamBuilder& second = trace_.thread({.loom = "node0.a",
                                           .pid = 1,
                                           .tid = 2,
                                           .rank = 0,
                                           .nranks = 2,
                                           .cpus = {{0, 0}, {1, 1}},
                                           .require = {{"ovni", "1.1.0"}, {"counters", "1.1.0"}}});
    second.set("ovni.counters", {"rss"}).starts(0, 1).event("CRm", 800, {u64(512), u64(8192)}).ends(900);
    rank(1, 2, "node1.a").starts(0).ends(1000);
    const Json counters = expect_same_pages()["timeline"]["counters"];
    ASSERT_EQ(counters["rows"]["width"], 1);
    const Json& rows = counters["rows"]["cells"];
    const std::vector<double> faults = counts_of(rows[0][0], 256), memory = counts_of(rows[0][1]);
    ASSERT_EQ(faults.size(), 1001u);
    EXPECT_NEAR(std::accumulate(faults.begin(), faults.begin() + 100, 0.0), 1024, 10);
    EXPECT_EQ(std::accumulate(faults.begin() + 100, faults.begin() + 500, 0.0), 0);
    EXPECT_NEAR(std::accumulate(faults.begin() + 500, faults.end(), 0.0), 65, 1);
    EXPECT_EQ(memory[599], 0);
    EXPECT_NEAR(memory[600], 4096, 40);
    EXPECT_NEAR(memory[799], 4096, 40);
    EXPECT_NEAR(memory[800], 512, 5);
    EXPECT_NEAR(memory[899], 512, 5);
    EXPECT_EQ(memory[900], 0) << "the last thread has ended";
    EXPECT_EQ(rows[1][1], "");
}

// A thread without events does not keep the memory of its process alive.
TEST_F(PageTest, LevelsEndWithTheThreadsThatLived) {
    StreamBuilder& stream = rank(0, 2, "node0.a");
    stream.set("ovni.counters", {"rss"}).set("ovni.require.counters", "1.1.0");
    stream.starts(0).event("CRm", 100, {u64(4096), u64(4096)}).ends(200);
    trace_.thread({.loom = "node0.a", .pid = 1, .tid = 2, .rank = 0, .nranks = 2, .cpus = {{0, 0}}});
    rank(1, 2, "node1.a").starts(0).ends(1000);
    const Json cells = expect_same_pages(1)["timeline"]["counters"]["rows"]["cells"];
    const std::vector<double> memory = counts_of(cells[0][0]);
    EXPECT_NEAR(memory[199], 4096, 40);
    EXPECT_EQ(memory[200], 0);
}

// The first border of a thread that does not say since when it counts.
TEST_F(PageTest, CountersBeginAtTheFirstBorder) {
    StreamBuilder& stream = rank(0, 1, "node0.a");
    stream.set("ovni.counters", {"page-faults"}).set("ovni.require.counters", "1.0.0");
    stream.starts(0).event("MUi", 500).event("C4A", 600, {u32(1000)}).event("MUI", 600).ends(1000);
    const Json cells = emulated()["timeline"]["counters"]["rows"]["cells"];
    const std::vector<double> faults = counts_of(cells[0][0], 256);
    EXPECT_EQ(faults[499], 0);
    EXPECT_NEAR(faults[500], 10, 0.1);
    EXPECT_NEAR(faults[599], 10, 0.1);
    EXPECT_EQ(faults[600], 0);
}

TEST_F(PageTest, CountersOfManyRowsAreThoseOfHosts) {
    constexpr int ranks = 72, ranks_of_loom = 24;
    for (int r = 0; r < ranks; ++r) {
        StreamBuilder& stream =
            rank(r, ranks, "node" + std::to_string(r / ranks_of_loom) + ".a", r % ranks_of_loom);
        stream.set("ovni.counters", {"page-faults", "rss"}).set("ovni.require.counters", "1.1.0");
        stream.starts(0, r % ranks_of_loom)
            .event("C4A", 100 + 7 * r, {u32(static_cast<uint32_t>(r))})
            .event("CRm", 800, {u64(static_cast<uint64_t>(r) << 20), u64(0)})
            .ends(1000);
    }
    const Json page = expect_same_pages();
    const Json& hosts = page["timeline"]["counters"]["hosts"]["cells"];
    ASSERT_EQ(hosts.size(), 3u);
    for (int host = 0; host < 3; ++host) {
        const std::vector<double> faults = counts_of(hosts[host][0], 256), memory = counts_of(hosts[host][1]);
        const int first = host * ranks_of_loom, end = first + ranks_of_loom;
        const double expected = (first + end - 1) * ranks_of_loom / 2.0;
        EXPECT_NEAR(std::accumulate(faults.begin(), faults.end(), 0.0), expected, expected / 100);
        EXPECT_NEAR(memory.at(900), (end - 1) << 20, (end - 1) << 13) << "the largest process";
    }
}

TEST_F(PageTest, AWrongEventMakesAPartialPage) {
    add_barriers(3, 10);
    rank(3, 4, "node3.a").starts(5).event("MCB", 5000, {u64(0)}).ends(6000);
    const Json page = expect_same_pages(1, ".partial");
    EXPECT_EQ(page["report"]["complete"], false);
    EXPECT_FALSE(fs::exists(output("serial.html")));
}

TEST_F(PageTest, ATraceWithoutMpiHasNoMatrix) {
    build(trace_, {.seed = 42, .looms = 2, .models = "6O"});
    const Json page = emulated();
    EXPECT_TRUE(page["matrix"].is_null());
    EXPECT_TRUE(page["functions"]["cells"].empty());
}

// No name can end the element of the data, or be anything but a text.
TEST_F(PageTest, NamesAreTextsWhateverTheyAre) {
    const std::string name = "</script><script>alert(1)</script><!-- \" ' \\ & \x01\x7f \xe2\x80\xa8";
    constexpr int region = 99;
    StreamBuilder& stream = rank(0, 1, "node0.a");
    stream.mark(region, "stack", name, {{1001, name}, {1002, std::string(500, '<')}});
    stream.set("ovni.run", name).starts(1).event("OM[", 10, {i64(1001), region});
    stream.event("OM]", 20, {i64(1001), region}).ends(30);
    const fs::path directory = output("trace</script>\xff\xc3\"'");
    trace_.write_to(directory);
    const Finished done = serial(directory, output("serial"), page_to("serial"));
    ASSERT_EQ(done.status, 0) << done.err;
    const std::string text = page_text("serial");
    const Json page = data_of(text);
    EXPECT_EQ(page["report"]["trace"]["run"], name);
    EXPECT_EQ(page["timeline"]["regions"][0], name);
    EXPECT_THAT(page["report"]["trace"]["directory"].get<std::string>(),
                HasSubstr("</script>\ufffd\ufffd\"'"));
    const std::string scripts = "</script>";
    size_t ends = 0;
    for (size_t at = text.find(scripts); at != text.npos; at = text.find(scripts, at + 1)) ++ends;
    EXPECT_EQ(ends, 2u);
    EXPECT_EQ(text.find('\x01'), text.npos);
    EXPECT_EQ(text.find("<!--"), text.npos);
}

}  // namespace
}  // namespace ovni::test
