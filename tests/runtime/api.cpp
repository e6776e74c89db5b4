// The C API used in order: what ends up on disk, byte by byte.
#include <gmock/gmock.h>

#include <cerrno>
#include <cmath>
#include <fstream>

#include "tests/runtime/runtime_test.hpp"

namespace ovni::test {
namespace {

using ::testing::HasSubstr;

static_assert(sizeof(ovni_ev) == 28 && sizeof(ovni_ev_header) == 12 && sizeof(ovni_ev_payload) == 16);
static_assert(sizeof(ovni_jumbo_payload) == 5 && sizeof(ovni_stream_header) == 8);
static_assert(offsetof(ovni_ev, payload) == 12 && offsetof(ovni_ev_header, clock) == 4);
static_assert(OVNI_MAX_EV_BUF == 2097152 && OVNI_METADATA_VERSION == 3 && OVNI_MAX_HOSTNAME == 512);

using ApiTest = RuntimeTest;

void emit_example() {
    put("OHx", 1000, int32_t{0}, int32_t{-1}, uint64_t{0x55});
    ovni_ev jumbo = event("VYc", 1001);
    const uint8_t data[] = {1, 0, 0, 0, 'h', 'e', 'y', 0};
    ovni_ev_jumbo_emit(&jumbo, data, sizeof data);
    put("OM[", 1002, int64_t{3}, int32_t{5});
    put("OHe", 1003);
}

TEST_F(ApiTest, StreamHasTheBytesOfTheFormat) {
    run_traced([] {
        ovni_version_check();
        start();
        emit_example();
        ovni_flush();
        stop();
    });
    ASSERT_EQ(status(), 0) << printed_errors();
    constexpr unsigned char expected[] = {
        0x6f, 0x76, 0x6e, 0x69, 0x01, 0,    0,    0,    0x0f, 0x4f, 0x48, 0x78, 0xe8, 0x03, 0,    0,
        0,    0,    0,    0,    0,    0,    0,    0,    0xff, 0xff, 0xff, 0xff, 0x55, 0,    0,    0,
        0,    0,    0,    0,    0x13, 0x56, 0x59, 0x63, 0xe9, 0x03, 0,    0,    0,    0,    0,    0,
        0x08, 0,    0,    0,    0x01, 0,    0,    0,    0x68, 0x65, 0x79, 0,    0x0b, 0x4f, 0x4d, 0x5b,
        0xea, 0x03, 0,    0,    0,    0,    0,    0,    0x03, 0,    0,    0,    0,    0,    0,    0,
        0x05, 0,    0,    0,    0,    0x4f, 0x48, 0x65, 0xeb, 0x03, 0,    0,    0,    0,    0,    0};
    EXPECT_EQ(stream().bytes, std::string(reinterpret_cast<const char*>(expected), sizeof expected));
}

TEST_F(ApiTest, MetadataHasTheStyleOfTheFormatByteByByte) {
    run_traced([] {
        start();
        ovni_attr_set_double("my.num", 1.5);
        ovni_mark_type(5, OVNI_MARK_STACK, "phase");
        ovni_mark_label(5, 3, "three");
        ovni_thread_require("nosv", "2.6.0");
        ovni_thread_require("nosv", "2.7.0");
        ovni_proc_set_rank(1, 4);
        ovni_proc_set_rank(2, 4);
        ovni_add_cpu(0, 10);
        ovni_add_cpu(1, 12);
        stop();
    });
    const char *version = nullptr, *commit = nullptr;
    ovni_version_get(&version, &commit);
    EXPECT_EQ(stream().directory, trace() / "loom.nodeA.app1/proc.4321/thread.4321");
    EXPECT_EQ(stream().json_text, std::string(R"({
    "version": 3,
    "ovni": {
        "lib": {
            "version": "1.14.0",
            "commit": ")") + commit + R"("
        },
        "part": "thread",
        "tid": 4321,
        "pid": 4321,
        "loom": "nodeA.app1",
        "app_id": 7,
        "require": {
            "ovni": "1.1.0",
            "nosv": "2.7.0"
        },
        "mark": {
            "5": {
                "title": "phase",
                "chan_type": "stack",
                "labels": {
                    "3": "three"
                }
            }
        },
        "rank": 2,
        "nranks": 4,
        "loom_cpus": [
            {
                "index": 0,
                "phyid": 10
            },
            {
                "index": 1,
                "phyid": 12
            }
        ],
        "finished": 1
    },
    "my": {
        "num": 1.5
    }
})");
}

TEST_F(ApiTest, MetadataBeforeTheEndShowsThatTheStreamIsOpen) {
    run_traced([this] {
        start();
        EXPECT_EQ(stream().json_text.find("require"), std::string::npos);
        EXPECT_EQ(stream().json_text.find("finished"), std::string::npos);
        EXPECT_EQ(stream().bytes.size(), 8u);
        ovni_attr_set_str("my.name", "early");
        ovni_attr_flush();
        EXPECT_EQ(stream().json["my"]["name"], "early");
        EXPECT_EQ(stream().json_text.find("finished"), std::string::npos);
        ::_exit(HasFailure());
    });
    EXPECT_EQ(status(), 0) << printed_errors();
}

TEST_F(ApiTest, AttributesOfAllTypesComeBack) {
    run_traced([] {
        start();
        EXPECT_EQ(ovni_attr_has("a.b"), 0);
        ovni_attr_set_double("a.b.num", 0.1);
        ovni_attr_set_boolean("a.b.yes", 42);
        ovni_attr_set_str("a.text", "path/to \"x\"\n\x01 \xc3\xa9 \xff");
        ovni_attr_set_json("o", R"({"n":1.5,"a":[1,2,{"k":null}],"e":{},"l":[],"big":1234567890123})");
        EXPECT_EQ(ovni_attr_has("a.b"), 1);
        EXPECT_EQ(ovni_attr_has("a.text.more"), 0);
        EXPECT_EQ(ovni_attr_get_double("a.b.num"), 0.1);
        EXPECT_EQ(ovni_attr_get_boolean("a.b.yes"), 1);
        EXPECT_STREQ(ovni_attr_get_str("ovni.part"), "thread");
        char* json = ovni_attr_get_json("o");
        EXPECT_STREQ(json, R"({"n":1.5,"a":[1,2,{"k":null}],"e":{},"l":[],"big":1234567890123})");
        free(json);
        ovni_attr_set_double("a.b.num", 2);
        ovni_attr_set_double("zero", 0.0);
        ovni_attr_set_double("zero", -0.0);
        EXPECT_TRUE(std::signbit(ovni_attr_get_double("zero")));
        stop();
        ::exit(::testing::Test::HasFailure());
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    std::string text = stream().json_text;
    EXPECT_THAT(text, HasSubstr("\"num\": 2,\n"));
    EXPECT_THAT(text, HasSubstr(R"("text": "path\/to \"x\"\n\u0001 )"
                                "\xc3\xa9 \xef\xbf\xbd\""));
    EXPECT_THAT(text, HasSubstr("\"e\": {},\n        \"l\": [],\n        \"big\": 1234567890123\n"));
}

TEST_F(ApiTest, LargeAndDeepJsonIsKept) {
    run_traced([] {
        start();
        std::string many = "[{\"n\":1}";
        for (int i = 0; i < 100'000; ++i) many += ",{\"n\":1}";
        ovni_attr_set_json("many", (many += ']').c_str());
        ovni_attr_set_json("deep", (std::string(2049, '[') + std::string(2049, ']')).c_str());
        char* json = ovni_attr_get_json("many");
        EXPECT_EQ(json, many);
        free(json);
        stop();
        ::exit(::testing::Test::HasFailure());
    });
    EXPECT_EQ(status(), 0) << printed_errors();
}

TEST_F(ApiTest, NumbersHave17Digits) {
    run_traced([] {
        start();
        ovni_attr_set_double("n.tenth", 0.1);
        ovni_attr_set_double("n.large", 1e300);
        ovni_attr_set_json("n.integer", "12345678901234567890");
        stop();
    });
    EXPECT_THAT(stream().json_text, HasSubstr("\"tenth\": 0.10000000000000001,"));
    EXPECT_THAT(stream().json_text, HasSubstr("\"large\": 1.0000000000000001e+300,"));
    EXPECT_THAT(stream().json_text, HasSubstr("\"integer\": 1.2345678901234567e+19\n"));
}

TEST_F(ApiTest, MarksAreEventsAndDefinitions) {
    uint64_t before = ovni_clock_now();
    run_traced([] {
        start();
        ovni_mark_type(0, 0, "single");
        ovni_mark_push(99, 7);
        ovni_mark_pop(99, 7);
        ovni_mark_set(-5, INT64_MIN);
        stop();
    });
    RecordedStream recorded = stream();
    EXPECT_EQ(recorded.codes(), "OM[ OM] OM=");
    EXPECT_EQ(recorded.json["ovni"]["mark"]["0"]["chan_type"], "single");
    ASSERT_EQ(recorded.events.size(), 3u);
    EXPECT_EQ(recorded.events[0].payload.size(), 12u);
    EXPECT_EQ(recorded.events[2].argument<int64_t>(0), INT64_MIN);
    EXPECT_EQ(recorded.events[2].argument<int32_t>(8), -5);
    EXPECT_GE(recorded.events[0].clock, before);
    EXPECT_TRUE(recorded.clocks_never_decrease());
}

// To the reference, a punctual type is one of single values.
TEST_F(ApiTest, APunctualMarkIsASingleOneWithANoteOfOurs) {
    run_traced([] {
        start();
        ovni_mark_type(7, OVNI_MARK_PUNCTUAL, "instants");
        ovni_mark_label(7, 3, "three");
        ovni_mark_set(7, 3);
        stop();
    });
    RecordedStream recorded = stream();
    EXPECT_EQ(recorded.codes(), "OM=");
    EXPECT_EQ(recorded.json["ovni"]["mark"]["7"].dump(),
              R"({"title":"instants","chan_type":"single","punctual":true,"labels":{"3":"three"}})");
}

TEST_F(ApiTest, EventFunctionsTouchOnlyTheirFields) {
    ovni_ev ev{};
    EXPECT_EQ(ovni_ev_size(&ev), 12);
    EXPECT_EQ(ovni_payload_size(&ev), 0);
    ovni_ev_set_mcv(&ev, "abc");
    ovni_ev_set_clock(&ev, 0x1122334455667788);
    EXPECT_EQ(ovni_ev_get_clock(&ev), 0x1122334455667788u);
    const uint8_t bytes[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    ev.header.flags = 0x20;
    ovni_payload_add(&ev, bytes, 2);
    ovni_payload_add(&ev, bytes + 2, 14);
    EXPECT_EQ(ev.header.flags, 0x2f);
    EXPECT_EQ(ovni_payload_size(&ev), 16);
    EXPECT_EQ(ovni_ev_size(&ev), 28);
    EXPECT_EQ(memcmp(ev.payload.u8, bytes, 16), 0);
    EXPECT_EQ(ev.header.model, 'a');
    EXPECT_EQ(ev.header.value, 'c');
}

TEST_F(ApiTest, JumboEmissionMarksTheCallersEvent) {
    run_traced([] {
        start();
        ovni_ev ev = event("VYc", 5);
        uint8_t byte = 9;
        ovni_ev_jumbo_emit(&ev, &byte, 1);
        EXPECT_EQ(ev.header.flags, 0x13);
        EXPECT_EQ(ovni_payload_size(&ev), 5);
        EXPECT_EQ(ovni_ev_size(&ev), 17);
        // A small jumbo event made by hand goes the normal way.
        ovni_ev by_hand = event("VYc", 6);
        by_hand.header.flags = 0x13;
        by_hand.payload.jumbo.size = 3;
        ovni_ev_emit(&by_hand);
        stop();
        ::exit(::testing::Test::HasFailure());
    });
    EXPECT_EQ(status(), 0) << printed_errors();
    ASSERT_EQ(stream().codes(), "VYc VYc");
    EXPECT_EQ(stream().events[0].payload, std::string("\1\0\0\0\x9", 5));
    EXPECT_EQ(stream().events[1].payload.size(), 7u);
}

TEST_F(ApiTest, ReadyIsBetweenInitAndFree) {
    run_traced([] {
        EXPECT_EQ(ovni_thread_isready(), 0);
        start();
        EXPECT_EQ(ovni_thread_isready(), 1);
        ovni_thread_init(test_tid);
        EXPECT_EQ(ovni_thread_isready(), 1);
        stop();
        EXPECT_EQ(ovni_thread_isready(), 0);
        ::exit(::testing::Test::HasFailure());
    });
    EXPECT_EQ(status(), 0);
    EXPECT_THAT(printed_errors(), ::testing::MatchesRegex("WARN: .*4321.*\n"));
}

TEST_F(ApiTest, OlderMinorVersionsAndAnyPatchAreServed) {
    for (const char* version : {"1.14.0", "1.14.99", "1.0.0", "1.13.2-rc1", "1.2.3.4"})
        ovni_version_check_str(version);
}

TEST_F(ApiTest, ErrnoIsPreserved) {
    run_traced([] {
        int wrong = 0;
        auto check = [&wrong](auto call) {
            errno = 1234;
            call();
            wrong += errno != 1234;
        };
        check([] { ovni_proc_init(7, test_loom, test_pid); });
        check([] { ovni_thread_init(test_tid); });
        check([] { put("OB.", 1); });
        check([] { ovni_flush(); });
        check([] { ovni_attr_flush(); });
        check([] { ovni_thread_free(); });
        check([] { ovni_proc_fini(); });
        ::exit(wrong);
    });
    EXPECT_EQ(status(), 0);
}

TEST_F(ApiTest, AnOlderStreamInTheSamePlaceIsReplaced) {
    std::filesystem::path place = trace() / "loom.nodeA.app1/proc.4321/thread.4321";
    std::filesystem::create_directories(place);
    std::ofstream(place / "stream.obs") << std::string(100000, 'x');
    std::ofstream(place / "stream.gaps.json") << "{}";
    run_traced([] {
        start();
        put("OB.", 1);
        stop();
    });
    EXPECT_EQ(stream().bytes.size(), 8u + 12);
    EXPECT_FALSE(std::filesystem::exists(place / "stream.gaps.json"));
}

TEST_F(ApiTest, RunNameOfTheEnvironmentIsInTheMetadataFromTheStart) {
    set_environment("OVNI_RUN", "job.17");
    run_traced([] {
        start();
        ::_exit(0);
    });
    const nlohmann::ordered_json ovni = stream().json["ovni"];
    EXPECT_EQ(ovni["run"], "job.17");
    std::string command;
    for (const auto& word : ovni["command"]) command += word.get<std::string>() + '\0';
    EXPECT_EQ(command, file_content("/proc/self/cmdline"));
}

TEST_F(ApiTest, AHugeCommandLineIsCut) {
    const std::string exe = BUILD_DIR "/tests/runtime_c_program",
                      trace = "OVNI_TRACEDIR=" + this->trace().string();
    ASSERT_EQ(
        run({exe, "first", std::string(2000, 'x'), "last"}, {trace, "OVNI_RUN=a", "OVNI_APPEND=1"}).status,
        0);
    ASSERT_EQ(streams().size(), 1u);
    EXPECT_EQ(stream().json["ovni"]["command"].dump(), R"([")" + exe + R"(","first","..."])");
}

}  // namespace
}  // namespace ovni::test
