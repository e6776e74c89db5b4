#include "model/definition.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "ovni/format.h"

namespace ovni::test {

namespace {

using namespace std::string_literals;

constexpr Signature signature(std::string_view text) {
    return parse_signature(text).signature;
}

constexpr const char* fault_of(std::string_view description, std::string_view text) {
    Signature parsed = signature(text);
    return check_description(description, parsed);
}

// The checks that refuse a table with a wrong row when it is compiled.
static_assert(!parse_signature("OHx(i32 cpu, i32 tid, u64 tag)").fault);
static_assert(!parse_signature("VYc+(u32 typeid, str label)").fault);
static_assert(!parse_signature("OB.").fault && !parse_signature("OU]").fault &&
              !parse_signature("OM=+").fault);
static_assert(signature("OAr(i32 cpu, i32 tid)").fixed_bytes() == 8);
static_assert(signature("OAr(i32 cpu, i32 tid)").find("tid")->offset == 4);
static_assert(parse_signature("OH").fault && parse_signature("O H").fault && parse_signature("OHx(").fault);
static_assert(parse_signature("OHx()").fault && parse_signature("OHx(i32)").fault);
static_assert(parse_signature("OHx(i33 a)").fault && parse_signature("OHx(i32 a,)").fault);
static_assert(parse_signature("OHx(i32 a) ").fault && parse_signature("OHx i32 a").fault);
static_assert(parse_signature("OHx(i32 a, u8 a)").fault && parse_signature("OHx(u8 a)").fault);
static_assert(parse_signature("OHx(u64 a, u64 b, u8 c)").fault && parse_signature("OHx(str a)").fault);
static_assert(parse_signature("OHx+(str a, u8 b)").fault);
static_assert(!fault_of("moves to %{cpu}, %#llx{cpu}, 100%%", "OAs(i32 cpu)"));
static_assert(fault_of("%{tid}", "OAs(i32 cpu)"));
static_assert(fault_of("%s{cpu}", "OAs(i32 cpu)"));
static_assert(fault_of("%d{text}", "VYc+(str text)"));
static_assert(!fault_of("%@{cpu}", "OAs(i32 cpu)") && fault_of("%@{text}", "VYc+(str text)"));
static_assert(fault_of("50 %", "OAs(i32 cpu)"));
static_assert(fault_of("%{cpu", "OAs(i32 cpu)"));
static_assert(fault_of("%n{cpu}", "OAs(i32 cpu)"));
static_assert(fault_of("%*d{cpu}", "OAs(i32 cpu)"));
static_assert(fault_of("%9999d{cpu}", "OAs(i32 cpu)"));
static_assert(fault_of("%d %d{cpu}", "OAs(i32 cpu)"));

TEST(SignatureTest, ArgumentsArePackedInOrder) {
    Signature parsed = signature("XYZ+(u8 a, i16 b, u32 c, i64 d, str e)");
    EXPECT_EQ(parsed.code, EventCode("XYZ"));
    EXPECT_TRUE(parsed.jumbo);
    std::vector<int> offsets;
    for (const Argument& argument : parsed.arguments()) offsets.push_back(argument.offset);
    EXPECT_EQ(offsets, (std::vector<int>{0, 1, 3, 7, 15}));
}

TEST(SignatureTest, SixteenArgumentsAndNoMore) {
    std::string text = "XYZ+(u8 a0";
    for (int i = 1; i < 16; ++i) text += ", u8 a" + std::to_string(i);
    EXPECT_EQ(parse_signature(text + ")").fault, nullptr);
    EXPECT_STREQ(parse_signature(text + ", u8 b)").fault, "more than 16 arguments");
}

std::string described(const std::string& description, const char* text, std::string payload) {
    Signature parsed = signature(text);
    EXPECT_EQ(check_description(description, parsed), nullptr);
    if (parsed.jumbo) {
        auto size = static_cast<uint32_t>(payload.size());
        payload.insert(0, reinterpret_cast<const char*>(&size), sizeof size);
    }
    // Exactly as large as it is, so that a sanitizer sees what is read beyond.
    std::vector<uint8_t> bytes(payload.begin(), payload.end());
    return describe(description, parsed, bytes);
}

TEST(DescribeTest, TextAndPercentSigns) {
    EXPECT_EQ(described("", "OB.", ""), "");
    EXPECT_EQ(described("100%% of %%{it}", "OB.", ""), "100% of %{it}");
}

TEST(DescribeTest, EveryTypeInItsDefaultFormat) {
    EXPECT_EQ(described("%{a} %{b} %{c} %{d}", "XYZ(u8 a, u16 b, u32 c, u64 d)", std::string(15, '\xff')),
              "255 65535 4294967295 18446744073709551615");
    EXPECT_EQ(described("%{a} %{b} %{c} %{d}", "XYZ(i8 a, i16 b, i32 c, i64 d)", std::string(15, '\xff')),
              "-1 -1 -1 -1");
    EXPECT_EQ(described("'%{a}'", "XYZ+(str a)", "hey\0rest"s), "'hey'");
}

TEST(DescribeTest, ConversionsOfPrintfOnTheWidthOfTheArgument) {
    EXPECT_EQ(described("%x{a} %#llx{a} %08X{a} %o{a}", "XYZ(u32 a)", "\xfe\xff\0\0"s),
              "fffe 0xfffe 0000FFFE 177776");
    EXPECT_EQ(described("%x{a} %u{a} %d{a}", "XYZ(i16 a)", "\xff\xff"s), "ffff 65535 -1");
    EXPECT_EQ(described("%d{a}", "XYZ(u16 a)", "\xff\xff"s), "-1");
    EXPECT_EQ(described("[%5d{a}|%-5d{a}|%+d{a}|%.3d{a}]", "XYZ(i32 a)", "\7\0\0\0"s),
              "[    7|7    |+7|007]");
    EXPECT_EQ(described("[%5s{a}|%.2s{a}]", "XYZ+(str a)", "abc\0"s), "[  abc|ab]");
}

TEST(DescribeTest, TooShortPayloads) {
    EXPECT_EQ(described("%{a} %{b}", "XYZ(u32 a, u32 b)", "\1\0\0\0\2\0"s), "1 <missing>");
    EXPECT_EQ(described("%{a}", "XYZ(u32 a)", ""), "<missing>");
    EXPECT_EQ(described("%{a} %{b}", "XYZ+(u32 a, str b)", "\1\0\0\0"s), "1 <missing>");
    EXPECT_EQ(describe("%{a}", signature("XYZ+(u32 a)"), {}), "<missing>");
}

TEST(DescribeTest, StringsWithoutEnd) {
    EXPECT_EQ(described("'%{a}'", "XYZ+(str a)", "hey"), "'hey<no end>'");
}

TEST(DescribeTest, AtMost1022Bytes) {
    std::string text = described("%{a}%{a}", "XYZ+(str a)", std::string(900, 'x') + '\0');
    EXPECT_EQ(text.size(), 1022u);
    EXPECT_EQ(described("%999d{a}%999d{a}", "XYZ(i32 a)", "\7\0\0\0"s).size(), 1022u);
    EXPECT_EQ(described("%{a}", "XYZ+(str a)", std::string(5000, 'x')).size(), 1022u);
}

}  // namespace

}  // namespace ovni::test
