// Calls that are a mistake of the program: each ends it with one line that names the function.
#include <gmock/gmock.h>

#include "tests/runtime/runtime_test.hpp"

namespace ovni::test {
namespace {

struct Misuse {
    const char* name;
    const char* function;  // that the message names
    const char* message;   // a part of it
    void (*commit)();
};

void mark_title(const char* title) {
    start();
    ovni_mark_type(1, 0, title);
}

void labelled() {
    start();
    ovni_mark_type(1, 0, "title");
    ovni_mark_label(1, 5, "five");
}

const std::string long_name(600, 'x');
const uint8_t zeros[32] = {};

const Misuse misuses[] = {
    {"VersionNull", "ovni_version_check_str", "NULL", [] { ovni_version_check_str(nullptr); }},
    {"VersionNoPatch", "ovni_version_check_str", "1.2", [] { ovni_version_check_str("1.2"); }},
    {"VersionMajor", "ovni_version_check_str", "2.0.0", [] { ovni_version_check_str("2.0.0"); }},
    {"VersionMinor", "ovni_version_check_str", "1.14.0", [] { ovni_version_check_str("1.15.0"); }},
    {"VersionLong", "ovni_version_check_str", "version",
     [] { ovni_version_check_str(("1.2.3-" + long_name).c_str()); }},

    {"VersionWithControlCharacters", "ovni_version_check_str", "'1?2?[2J?\?'",
     [] { ovni_version_check_str("1\n2\x1b[2J\xc2\x9b"); }},

    {"ProcInitTwice", "ovni_proc_init", "already initialized", [] { start(), start(); }},
    {"ProcInitAfterFini", "ovni_proc_init", "already finished", [] { start(), stop(), start(); }},
    {"ProcInitLongLoom", "ovni_proc_init", "too long", [] { ovni_proc_init(1, long_name.c_str(), 1); }},
    {"ProcFiniEarly", "ovni_proc_fini", "not ready", [] { ovni_proc_fini(); }},
    {"ProcFiniTwice", "ovni_proc_fini", "not ready", [] { start(), stop(), ovni_proc_fini(); }},
    {"SetRankNoProcess", "ovni_proc_set_rank", "not initialized", [] { ovni_proc_set_rank(0, 1); }},
    {"SetRankNoThread", "ovni_proc_set_rank", "not initialized",
     [] { ovni_proc_init(1, "a", 1), ovni_proc_set_rank(0, 1); }},

    {"ThreadInitNoProcess", "ovni_thread_init", "not initialized", [] { ovni_thread_init(1); }},
    {"ThreadInitZero", "ovni_thread_init", "0", [] { start(0); }},
    {"ThreadInitAgain", "ovni_thread_init", "finished",
     [] { start(), ovni_thread_free(), ovni_thread_init(1); }},
    {"ThreadFreeEarly", "ovni_thread_free", "not initialized", [] { ovni_thread_free(); }},
    {"ThreadFreeTwice", "ovni_thread_free", "finished",
     [] { start(), ovni_thread_free(), ovni_thread_free(); }},

    {"RequireEarly", "ovni_thread_require", "not initialized", [] { ovni_thread_require("nosv", "1.0.0"); }},
    {"RequireNull", "ovni_thread_require", "NULL", [] { start(), ovni_thread_require(nullptr, "1.0.0"); }},
    {"RequireBlank", "ovni_thread_require", "a b", [] { start(), ovni_thread_require("a b", "1.0.0"); }},
    {"RequireDot", "ovni_thread_require", "a.b", [] { start(), ovni_thread_require("a.b", "1.0.0"); }},
    {"RequireShort", "ovni_thread_require", "short", [] { start(), ovni_thread_require("a", "1.0.0"); }},
    {"RequireLong", "ovni_thread_require", "long",
     [] { start(), ovni_thread_require(std::string(115, 'm').c_str(), "1.0.0"); }},
    {"RequireNoVersion", "ovni_thread_require", "NULL",
     [] { start(), ovni_thread_require("nosv", nullptr); }},
    {"RequireVersion", "ovni_thread_require", "1.x", [] { start(), ovni_thread_require("nosv", "1.x"); }},

    {"AddCpuIndex", "ovni_add_cpu", "-1", [] { start(), ovni_add_cpu(-1, 0); }},
    {"AddCpuPhyid", "ovni_add_cpu", "-2", [] { start(), ovni_add_cpu(0, -2); }},
    {"AddCpuNoProcess", "ovni_add_cpu", "not initialized", [] { ovni_add_cpu(0, 0); }},
    {"AddCpuNoThread", "ovni_add_cpu", "not initialized",
     [] { ovni_proc_init(1, "a", 1), ovni_add_cpu(0, 0); }},

    {"PayloadJumbo", "ovni_payload_add", "jumbo",
     [] {
         ovni_ev ev{};
         ev.header.flags = OVNI_EV_JUMBO;
         ovni_payload_add(&ev, zeros, 2);
     }},
    {"PayloadOneByte", "ovni_payload_add", "small",
     [] {
         ovni_ev ev{};
         ovni_payload_add(&ev, zeros, 1);
     }},
    {"PayloadTooLarge", "ovni_payload_add", "fit",
     [] {
         ovni_ev ev{};
         ovni_payload_add(&ev, zeros, 15);
         ovni_payload_add(&ev, zeros, 2);
     }},
    {"EmitEarly", "ovni_ev_emit", "not initialized", [] { put("OB.", 1); }},
    {"EmitAfterFree", "ovni_ev_emit", "finished", [] { start(), ovni_thread_free(), put("OB.", 1); }},
    {"JumboEarly", "ovni_ev_jumbo_emit", "not initialized",
     [] {
         ovni_ev ev{};
         ovni_ev_jumbo_emit(&ev, zeros, 1);
     }},
    {"JumboPayload", "ovni_ev_jumbo_emit", "payload",
     [] {
         start();
         ovni_ev ev{};
         ovni_payload_add(&ev, zeros, 2);
         ovni_ev_jumbo_emit(&ev, zeros, 1);
     }},
    {"JumboTooLarge", "ovni_ev_jumbo_emit", "large",
     [] {
         start();
         ovni_ev ev{};
         ovni_ev_jumbo_emit(&ev, zeros, OVNI_MAX_EV_BUF - 16);
     }},
    {"FlushEarly", "ovni_flush", "not initialized", [] { ovni_flush(); }},
    {"FlushAfterFini", "ovni_flush", "not ready", [] { start(), ovni_proc_fini(), ovni_flush(); }},

    {"AttrHasEarly", "ovni_attr_has", "not initialized", [] { ovni_attr_has("a"); }},
    {"AttrSetFinished", "ovni_attr_set_double", "finished",
     [] { start(), stop(), ovni_attr_set_double("a", 1); }},
    {"AttrFlushEarly", "ovni_attr_flush", "not initialized", [] { ovni_attr_flush(); }},
    {"AttrSetThrough", "ovni_attr_set_boolean", "a.b",
     [] { start(), ovni_attr_set_double("a", 1), ovni_attr_set_boolean("a.b", 1); }},
    {"AttrSetJson", "ovni_attr_set_json", "{", [] { start(), ovni_attr_set_json("a", "{"); }},
    {"AttrSetJsonTwice", "ovni_attr_set_json", "k",
     [] { start(), ovni_attr_set_json("a", R"({"k":1,"k":2})"); }},
    {"AttrSetJsonDeep", "ovni_attr_set_json", "[[",
     [] {
         start();
         ovni_attr_set_json("a", (std::string(2050, '[') + std::string(2050, ']')).c_str());
     }},
    {"AttrGetDouble", "ovni_attr_get_double", "nothing", [] { start(), ovni_attr_get_double("nothing"); }},
    {"AttrGetDoubleType", "ovni_attr_get_double", "ovni.part",
     [] { start(), ovni_attr_get_double("ovni.part"); }},
    {"AttrGetBoolean", "ovni_attr_get_boolean", "nothing", [] { start(), ovni_attr_get_boolean("nothing"); }},
    {"AttrGetBooleanType", "ovni_attr_get_boolean", "version",
     [] { start(), ovni_attr_get_boolean("version"); }},
    {"AttrGetStr", "ovni_attr_get_str", "nothing", [] { start(), ovni_attr_get_str("nothing"); }},
    {"AttrGetStrType", "ovni_attr_get_str", "ovni.lib", [] { start(), ovni_attr_get_str("ovni.lib"); }},
    {"AttrGetJson", "ovni_attr_get_json", "nothing", [] { start(), free(ovni_attr_get_json("nothing")); }},

    {"MarkTypeLow", "ovni_mark_type", "-1", [] { start(), ovni_mark_type(-1, 0, "a"); }},
    {"MarkTypeHigh", "ovni_mark_type", "100", [] { start(), ovni_mark_type(100, 0, "a"); }},
    {"MarkTypeNoTitle", "ovni_mark_type", "title", [] { mark_title(nullptr); }},
    {"MarkTypeEmptyTitle", "ovni_mark_type", "title", [] { mark_title(""); }},
    {"MarkTypeBoth", "ovni_mark_type", "at once",
     [] { start(), ovni_mark_type(1, OVNI_MARK_STACK | OVNI_MARK_PUNCTUAL, "a"); }},
    {"MarkTypeTwice", "ovni_mark_type", "already", [] { mark_title("a"), ovni_mark_type(1, 0, "a"); }},
    {"MarkTypeEarly", "ovni_mark_type", "not initialized", [] { ovni_mark_type(1, 0, "a"); }},
    {"MarkLabelType", "ovni_mark_label", "100", [] { labelled(), ovni_mark_label(100, 1, "a"); }},
    {"MarkLabelUndefined", "ovni_mark_label", "not defined", [] { labelled(), ovni_mark_label(2, 1, "a"); }},
    {"MarkLabelZero", "ovni_mark_label", "positive", [] { labelled(), ovni_mark_label(1, 0, "a"); }},
    {"MarkLabelNegative", "ovni_mark_label", "positive", [] { labelled(), ovni_mark_label(1, -3, "a"); }},
    {"MarkLabelNull", "ovni_mark_label", "label", [] { labelled(), ovni_mark_label(1, 6, nullptr); }},
    {"MarkLabelEmpty", "ovni_mark_label", "label", [] { labelled(), ovni_mark_label(1, 6, ""); }},
    {"MarkLabelTwice", "ovni_mark_label", "already", [] { labelled(), ovni_mark_label(1, 5, "five"); }},
    {"MarkPushZero", "ovni_mark_push", "0", [] { labelled(), ovni_mark_push(1, 0); }},
    {"MarkPopZero", "ovni_mark_pop", "0", [] { labelled(), ovni_mark_pop(1, 0); }},
    {"MarkSetZero", "ovni_mark_set", "0", [] { labelled(), ovni_mark_set(1, 0); }},
    {"MarkPushEarly", "ovni_mark_push", "not initialized", [] { ovni_mark_push(1, 1); }},
};

class MisuseTest : public RuntimeTest, public ::testing::WithParamInterface<Misuse> {};

TEST_P(MisuseTest, EndsTheProgram) {
    run_traced(GetParam().commit);
    EXPECT_EQ(status(), 128 + SIGABRT);
    std::string line = std::string("FATAL: ") + GetParam().function + ": ";
    EXPECT_THAT(printed_errors(), ::testing::StartsWith(line));
    EXPECT_THAT(printed_errors().substr(std::min(line.size(), printed_errors().size())),
                ::testing::HasSubstr(GetParam().message));
    EXPECT_EQ(std::count(printed_errors().begin(), printed_errors().end(), '\n'), 1) << printed_errors();
}

INSTANTIATE_TEST_SUITE_P(Api, MisuseTest, ::testing::ValuesIn(misuses),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace ovni::test
