#include "trace/metadata.hpp"

#include <gtest/gtest.h>

#include "ovni/mpi_events.h"
#include "tests/support/stream_test.hpp"

namespace ovni::test {

namespace {

StreamMetadata parse(const StreamBuilder& stream) {
    return parse_metadata(stream.metadata_text(), "t/stream.json");
}
StreamBuilder good() {
    return StreamBuilder({.rank = 2, .nranks = 4, .cpus = {{0, 10}, {1, 12}}});
}

TEST(MetadataTest, AllMembersAreRead) {
    StreamBuilder stream = good();
    stream.set("ovni.run", "job.7")
        .set("ovni.began", 1'700'000'000)
        .set("ovni.command", {"./a", "it's", "", "x=1", 7})
        .mark(5, "stack", "phase", {{3, "three"}, {-1, "minus"}});
    stream.set("ovni.end", {{"by", "signal"}, {"code", 11}, {"clock", 5}}).set("nosv.can_breakdown", true);
    stream.set("nosv.hwc.0.name", "cycles");
    StreamMetadata metadata = parse(stream);
    EXPECT_EQ(metadata.common->part, "thread");
    EXPECT_EQ(metadata.common->loom, "node0.a");
    EXPECT_EQ(metadata.process->pid, 1);
    EXPECT_EQ(metadata.tid, 1);
    EXPECT_EQ(metadata.process->app_id, 1);
    EXPECT_EQ(metadata.process->rank, 2);
    EXPECT_EQ(metadata.process->nranks, 4);
    EXPECT_EQ(metadata.common->cpus, (std::vector<CpuId>{{0, 10}, {1, 12}}));
    EXPECT_EQ(metadata.common->require.at("ovni"), "1.1.0");
    EXPECT_EQ(metadata.common->run, "job.7");
    EXPECT_EQ(metadata.common->began, 1'700'000'000);
    EXPECT_EQ(metadata.common->command, R"(./a 'it'\''s' '' x=1 '?')");
    EXPECT_TRUE(metadata.common->has_require && metadata.finished);
    EXPECT_EQ(metadata.common->lib_version, "1.14.0");
    ASSERT_EQ(metadata.common->marks->size(), 1u);
    EXPECT_EQ((*metadata.common->marks)[0].kind, MarkKind::stack);
    EXPECT_EQ((*metadata.common->marks)[0].labels[1], (std::pair<int64_t, std::string>(-1, "minus")));
    ASSERT_TRUE(metadata.end);
    EXPECT_EQ(*metadata.end->by, "signal");
    EXPECT_EQ(metadata.end->code, 11);
    EXPECT_EQ(metadata.common->can_breakdown, true);
    EXPECT_EQ(metadata.common->hardware_counters[0].second, "cycles");
}

TEST(MetadataTest, MembersMayBeAbsent) {
    StreamBuilder stream({.cpus = {}});
    stream.unset("ovni.app_id").unset("ovni.lib").unset("ovni.require").unset("ovni.finished");
    StreamMetadata metadata = parse(stream);
    EXPECT_FALSE(metadata.process->app_id || metadata.process->rank || metadata.process->nranks ||
                 metadata.common->lib_version || metadata.common->run);
    EXPECT_FALSE(metadata.common->began);
    EXPECT_FALSE(metadata.common->has_require || metadata.finished || metadata.end);
    EXPECT_TRUE(metadata.common->cpus.empty());
}

TEST(MetadataTest, CallSitesAreRead) {
    StreamBuilder stream = good();
    stream.set("mpi.modules.0", "1fa3 55d0c4a2b000 /home/me/my program")
        .set("mpi.modules.2", "- 0 /lib/x.so");
    stream.set("mpi.sites.1", "MPI_Send 0+0x11d5").set("mpi.sites.7", "MPI_Recv 2+0x10 ?+0x7f00");
    StreamMetadata metadata = parse(stream);
    EXPECT_EQ(metadata.process->calls->modules.at(0), (CodeModule{"1fa3", "/home/me/my program"}));
    EXPECT_EQ(metadata.process->calls->modules.at(2), (CodeModule{"", "/lib/x.so"}));
    EXPECT_EQ(metadata.process->calls->sites.at(1).function, "MPI_Send");
    EXPECT_EQ(metadata.process->calls->sites.at(1).callers[0].offset, 0x11d5U);
    ASSERT_EQ(metadata.process->calls->sites.at(7).callers.size(), 2U);
    EXPECT_EQ(metadata.process->calls->sites.at(7).callers[0].module, 2U);
    EXPECT_FALSE(metadata.process->calls->sites.at(7).callers[1].module);
}

TEST(MetadataTest, CallSitesThatSayNothingAreErrors) {
    std::string deep = "MPI_Send";
    for (int i = 0; i <= OVNI_MPI_MOST_CALLERS; ++i) deep += " ?+0x10";
    const std::pair<const char*, const char*> wrong[] = {{"mpi.sites.x", "MPI_Send 0+0x1"},
                                                         {"mpi.sites.1", "MPI_Send"},
                                                         {"mpi.sites.1", ""},
                                                         {"mpi.sites.1", "MPI_Send 0+11"},
                                                         {"mpi.sites.1", "MPI_Send 0+0x1 "},
                                                         {"mpi.sites.1", "MPI_Send 9+0x1"},
                                                         {"mpi.sites.1", "MPI_Send 0+0xg"},
                                                         {"mpi.sites.1", "MPI_Send -1+0x10"},
                                                         {"mpi.sites.1", deep.c_str()},
                                                         {"mpi.modules.1", "1fa3"},
                                                         {"mpi.modules.1", "xyz 0 /a"},
                                                         {"mpi.modules.1", "- 0 "},
                                                         {"mpi.modules.1", "- q /a"}};
    for (const auto& [path, text] : wrong) {
        StreamBuilder stream = good();
        stream.set("mpi.modules.0", "- 0 /a").set(path, text);
        EXPECT_THROW(parse(stream), Error) << path << ": " << text;
    }
}

TEST(MetadataTest, CpuUseIsReadOrAnError) {
    StreamBuilder stream = good();
    stream.set("mpi.use.wall_ns", "2000").set("mpi.use.cpu_ns", "1500");
    EXPECT_THROW(parse(stream), Error) << "one number is missing";
    stream.set("mpi.use.involuntary_switches", "7");
    const StreamMetadata metadata = parse(stream);
    ASSERT_TRUE(metadata.process->cpu_use);
    EXPECT_EQ(*metadata.process->cpu_use, (ProcessMetadata::CpuUse{2000, 1500, 7}));
    stream.set("mpi.use.busy_ns", "1800").set("mpi.use.children_ns", "5");
    EXPECT_THROW(parse(stream), Error) << "its CPUs are missing";
    stream.set("mpi.use.cpus", "0-3,8");
    EXPECT_EQ(*parse(stream).process->cpu_use, (ProcessMetadata::CpuUse{2000, 1500, 7, 1800, "0-3,8", 5}));
    stream.set("mpi.use.cpu_ns", "-1");
    EXPECT_THROW(parse(stream), Error);
    EXPECT_FALSE(parse(good()).process->cpu_use);
}

TEST(MetadataTest, OtherPartsAreNotLookedAt) {
    EXPECT_EQ(parse_metadata(R"({"version": 3, "ovni": {"part": "gpu", "tid": "x"}})", "p").common->part,
              "gpu");
}

TEST(MetadataTest, CommentsAreSkippedAndNumbersTruncated) {
    StreamMetadata metadata = parse_metadata(
        "// c\n{\"version\": 3.0, /* d */ \"ovni\": {\"part\": \"thread\", \"loom\": \"a\", \"pid\": 7.9, "
        "\"tid\": "
        "1e2}}",
        "p");
    EXPECT_EQ(metadata.process->pid, 7);
    EXPECT_EQ(metadata.tid, 100);
}

TEST(MetadataTest, OneCpuTwiceIsOne) {
    EXPECT_EQ(parse(StreamBuilder({.cpus = {{0, 3}, {0, 3}}})).common->cpus.size(), 1u);
}

TEST(MetadataTest, MissingMembersOfACpuAreZero) {
    StreamBuilder stream = good();
    stream.set("ovni.loom_cpus", Json::array({Json::object()}));
    EXPECT_EQ(parse(stream).common->cpus.at(0), CpuId{});
}

TEST(MetadataTest, PunctualMarksAreRead) {
    StreamBuilder stream = good();
    stream.mark(98, "single", "marker").set("ovni.mark.98.punctual", true);
    EXPECT_EQ(parse(stream).common->marks->at(0).kind, MarkKind::punctual);
}

TEST(MetadataTest, DamagedJsonIsAnError) {
    EXPECT_ERROR(parse_metadata("", "p"), "JSON");
    EXPECT_ERROR(parse_metadata("[3]", "p"), "not a JSON object");
    EXPECT_ERROR(parse_metadata(R"({"version": 3, "version": 3})", "p"), "twice");
    EXPECT_ERROR(parse_metadata("{\"a\": " + std::string(100'000, '['), "p"), "JSON");
    EXPECT_ERROR(parse_metadata("{\"a\": " + std::string(3000, '[') + std::string(3000, ']') + "}", "p"),
                 "deep");
    EXPECT_ERROR_AT(parse_metadata("{\"version\": ", "p"), 13);
}

TEST(MetadataTest, TheVersionMayBeReadAlone) {
    EXPECT_NO_THROW(parse_metadata_version(R"({"version": 3})", "p"));
    EXPECT_ERROR(parse_metadata_version(R"({"version": 2})", "p"), "version 2");
    EXPECT_ERROR(parse_metadata_version("{}", "p"), "version: is missing");
}

struct WrongMetadata {
    const char* member;
    Json value;  // null: the member is removed
    const char* cause;
};
void PrintTo(const WrongMetadata& wrong, std::ostream* out) {
    *out << wrong.member << " = " << wrong.value.dump();
}
class WrongMetadataTest : public ::testing::TestWithParam<WrongMetadata> {};

TEST_P(WrongMetadataTest, TheErrorNamesTheFileAndTheCause) {
    StreamBuilder stream = good();
    if (GetParam().value.is_null())
        stream.unset(GetParam().member);
    else
        stream.set(GetParam().member, GetParam().value);
    EXPECT_ERROR(parse(stream), GetParam().cause);
    EXPECT_ERROR(parse(stream), "t/stream.json");
}

Json cpu(Json index, Json phyid) {
    return {{"index", std::move(index)}, {"phyid", std::move(phyid)}};
}
Json mark(const char* type, const char* title, const char* kind, Json labels = Json::object()) {
    Json mark = {{"chan_type", kind}, {"labels", std::move(labels)}};
    if (title) mark["title"] = title;
    return {{type, mark}};
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongMetadataTest,
    ::testing::Values(
        WrongMetadata{"version", nullptr, "version: is missing"},
        WrongMetadata{"version", "3", "not a number"}, WrongMetadata{"version", 4, "version 4"},
        WrongMetadata{"ovni", nullptr, "ovni.part: is missing"},
        WrongMetadata{"ovni", 3, "ovni.part: is missing"},
        WrongMetadata{"ovni.part", nullptr, "ovni.part: is missing"},
        WrongMetadata{"ovni.part", 1, "not a string"},
        WrongMetadata{"ovni.loom", nullptr, "ovni.loom: is missing"},
        WrongMetadata{"ovni.loom", 1, "not a string"}, WrongMetadata{"ovni.loom", "a/b", "'/'"},
        WrongMetadata{"ovni.loom", std::string(4096, 'x'), "too long"},
        WrongMetadata{"ovni.pid", nullptr, "ovni.pid: is missing"},
        WrongMetadata{"ovni.pid", "1", "not a number"}, WrongMetadata{"ovni.pid", 0, "is 0"},
        WrongMetadata{"ovni.pid", -1, "is -1"}, WrongMetadata{"ovni.pid", 4294967297, "out of range"},
        WrongMetadata{"ovni.pid", 1e300, "out of range"},
        WrongMetadata{"ovni.tid", nullptr, "ovni.tid: is missing"}, WrongMetadata{"ovni.tid", 0, "is 0"},
        WrongMetadata{"ovni.tid", -3, "is -3"}, WrongMetadata{"ovni.app_id", 0, "is 0"},
        WrongMetadata{"ovni.app_id", -1, "is -1"}, WrongMetadata{"ovni.app_id", "1", "not a number"},
        WrongMetadata{"ovni.rank", -1, "negative"}, WrongMetadata{"ovni.rank", 4, "4 of 4 ranks"},
        WrongMetadata{"ovni.rank", "0", "not a number"},
        WrongMetadata{"ovni.nranks", nullptr, "ovni.nranks: is missing"},
        WrongMetadata{"ovni.nranks", 0, "above 0"},
        WrongMetadata{"ovni.loom_cpus", Json::array(), "is empty"},
        WrongMetadata{"ovni.loom_cpus", 3, "not an array"},
        WrongMetadata{"ovni.loom_cpus", Json::array({3}), "not an object"},
        WrongMetadata{"ovni.loom_cpus", Json::array({cpu(-1, 0)}), "negative"},
        WrongMetadata{"ovni.loom_cpus", Json::array({cpu(0, -1)}), "negative"},
        WrongMetadata{"ovni.loom_cpus", Json::array({cpu("0", 0)}), "not a number"},
        WrongMetadata{"ovni.loom_cpus", Json::array({cpu(0, 7), cpu(1, 7)}), "indices 0 and 1"},
        WrongMetadata{"ovni.lib.version", 1, "not a string"}, WrongMetadata{"ovni.lib", 1, "not an object"},
        WrongMetadata{"ovni.run", 1, "not a string"}, WrongMetadata{"ovni.began", "today", "not a number"},
        WrongMetadata{"ovni.began", -1, "is no time"},
        WrongMetadata{"ovni.began", 253402300800, "is no time"},
        WrongMetadata{"ovni.end", 1, "not an object"},
        WrongMetadata{"ovni.end", Json::object(), "ovni.end.by: is missing"},
        WrongMetadata{"ovni.mark", 1, "not an object"},
        WrongMetadata{"ovni.mark", mark("100", "t", "stack"), "0 to 99"},
        WrongMetadata{"ovni.mark", mark("-1", "t", "stack"), "0 to 99"},
        WrongMetadata{"ovni.mark", mark("x", "t", "stack"), "0 to 99"},
        WrongMetadata{"ovni.mark", mark("", "t", "stack"), "0 to 99"},
        WrongMetadata{"ovni.mark.1", 3, "not an object"},
        WrongMetadata{"ovni.mark", mark("1", nullptr, "stack"), "title: is missing"},
        WrongMetadata{"ovni.mark", mark("1", "t", "queue"), "neither"},
        WrongMetadata{"ovni.mark", mark("1", std::string(512, 'x').c_str(), "stack"), "511"},
        WrongMetadata{"ovni.mark", mark("1", "t", "stack", {{"x", "l"}}), "decimal"},
        WrongMetadata{"ovni.mark", mark("1", "t", "stack", {{"99999999999999999999", "l"}}), "decimal"},
        WrongMetadata{"ovni.mark", mark("1", "t", "stack", {{"1", 3}}), "not a string"},
        WrongMetadata{"ovni.mark", mark("1", "t", "stack", {{"1", "a"}, {"01", "b"}}), "two labels"},
        WrongMetadata{"ovni.mark", mark("1", "t", "stack", {{"1", std::string(512, 'x')}}), "511"},
        WrongMetadata{"nosv.hwc", 3, "not an object"},
        WrongMetadata{"nosv.hwc.1.name", "c", "below their count"},
        WrongMetadata{"nosv.hwc.0", 1, "not an object"},
        WrongMetadata{"nosv.hwc.0.nome", "c", "name: is missing"}));

}  // namespace

}  // namespace ovni::test
