#include "model/definition.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

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

static_assert(!parse_signature("XYZ(f64 a, f32 b, char c)").fault &&
              !parse_signature("XYZ(ptr a, ptr b)").fault);
static_assert(parse_signature("XYZ(char c)").fault && parse_signature("XYZ(ptr a, f64 b, char c)").fault);
static_assert(!fault_of("%f{a} %.3e{a} %+G{a} %la{a} %{a}", "XYZ(f32 a)"));
static_assert(fault_of("%d{a}", "XYZ(f64 a)") && fault_of("%x{a}", "XYZ(f32 a)") &&
              fault_of("%@{a}", "XYZ(f32 a)"));
static_assert(fault_of("%f{a}", "XYZ(u64 a)") && fault_of("%f{a}", "XYZ(ptr a)"));
static_assert(!fault_of("%p{a} %-20p{a} %#018lx{a} %X{a}", "XYZ(ptr a)"));
static_assert(!fault_of("%p{a}", "XYZ(u64 a)") && fault_of("%p{a}", "XYZ(u32 a)") &&
              fault_of("%p{a}", "XYZ(i64 a)"));
static_assert(fault_of("%d{a}", "XYZ(ptr a)") && fault_of("%s{a}", "XYZ(ptr a)") &&
              fault_of("%@{a}", "XYZ(ptr a)"));
static_assert(fault_of("%020p{a}", "XYZ(ptr a)") && fault_of("%.3p{a}", "XYZ(ptr a)") &&
              fault_of("%+p{a}", "XYZ(ptr a)"));
static_assert(!fault_of("%c{a} %3c{a} %-3c{a} %d{a} %#x{a}", "XYZ+(char a)"));
static_assert(!fault_of("%c{a}%c{b}", "XYZ(u8 a, i8 b)") && fault_of("%c{a}", "XYZ(i16 a)"));
static_assert(fault_of("%lc{a}", "XYZ+(char a)") && fault_of("%s{a}", "XYZ+(char a)") &&
              fault_of("%c{a}", "XYZ(f32 a)"));

TEST(SignatureTest, ArgumentsArePackedInOrder) {
    Signature parsed = signature("XYZ+(u8 a, i16 b, u32 c, i64 d, str e)");
    EXPECT_EQ(parsed.code, EventCode("XYZ"));
    EXPECT_TRUE(parsed.jumbo);
    std::vector<int> offsets;
    for (const Argument& argument : parsed.arguments()) offsets.push_back(argument.offset);
    EXPECT_EQ(offsets, (std::vector<int>{0, 1, 3, 7, 15}));
}

TEST(SignatureTest, MoreThanSixteenArgumentsAreRefused) {
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

TEST(DescribeTest, TextAndPercentSignsArePrinted) {
    EXPECT_EQ(described("", "OB.", ""), "");
    EXPECT_EQ(described("100%% of %%{it}", "OB.", ""), "100% of %{it}");
}

TEST(DescribeTest, EveryTypeHasADefaultFormat) {
    EXPECT_EQ(described("%{a} %{b} %{c} %{d}", "XYZ(u8 a, u16 b, u32 c, u64 d)", std::string(15, '\xff')),
              "255 65535 4294967295 18446744073709551615");
    EXPECT_EQ(described("%{a} %{b} %{c} %{d}", "XYZ(i8 a, i16 b, i32 c, i64 d)", std::string(15, '\xff')),
              "-1 -1 -1 -1");
    EXPECT_EQ(described("'%{a}'", "XYZ+(str a)", "hey\0rest"s), "'hey'");
}

TEST(DescribeTest, ConversionsOfPrintfTakeTheWidthOfTheArgument) {
    EXPECT_EQ(described("%x{a} %#llx{a} %08X{a} %o{a}", "XYZ(u32 a)", "\xfe\xff\0\0"s),
              "fffe 0xfffe 0000FFFE 177776");
    EXPECT_EQ(described("%x{a} %u{a} %d{a}", "XYZ(i16 a)", "\xff\xff"s), "ffff 65535 -1");
    EXPECT_EQ(described("%d{a}", "XYZ(u16 a)", "\xff\xff"s), "-1");
    EXPECT_EQ(described("[%5d{a}|%-5d{a}|%+d{a}|%.3d{a}]", "XYZ(i32 a)", "\7\0\0\0"s),
              "[    7|7    |+7|007]");
    EXPECT_EQ(described("[%5s{a}|%.2s{a}]", "XYZ+(str a)", "abc\0"s), "[  abc|ab]");
}

template <class... Values>
std::string packed(Values... values) {
    std::string bytes;
    (bytes.append(reinterpret_cast<const char*>(&values), sizeof values), ...);
    return bytes;
}

TEST(DescribeTest, FloatsArePrinted) {
    EXPECT_EQ(described("%{a} %{b}", "XYZ(f32 a, f64 b)", packed(0.1f, 0.1)), "0.1 0.1");
    EXPECT_EQ(described("%.2f{a} %e{a} %G{a} %a{a}", "XYZ(f64 a)", packed(1536.0)),
              "1536.00 1.536000e+03 1536 0x1.8p+10");
    EXPECT_EQ(described("[%9.1lf{a}|%-9.1f{a}|%+.0f{a}]", "XYZ(f32 a)", packed(-2.25f)),
              "[     -2.2|-2.2     |-2]");
    EXPECT_EQ(described("%{a} %f{b}", "XYZ(f64 a, f64 b)", packed(HUGE_VAL, -HUGE_VAL)), "inf -inf");
    EXPECT_EQ(described("%{a}", "XYZ(f64 a)", packed(std::numeric_limits<double>::quiet_NaN())), "nan");
    EXPECT_EQ(described("%999.999f{a}", "XYZ(f64 a)", packed(1e308)).size(), 1022u);
}

TEST(DescribeTest, AddressesArePrinted) {
    EXPECT_EQ(described("%{a} %p{b}", "XYZ(ptr a, u64 b)", packed(uint64_t{0x7fffcafe}, uint64_t{0})),
              "0x7fffcafe 0x0");
    EXPECT_EQ(described("[%8p{a}|%-8p{a}|%08x{a}|%#X{a}]", "XYZ(ptr a)", packed(uint64_t{0xbeef})),
              "[  0xbeef|0xbeef  |0000beef|0XBEEF]");
}

TEST(DescribeTest, CharactersArePrintedAndEscaped) {
    EXPECT_EQ(described("%{a}%c{b}%c{c}", "XYZ(char a, u8 b, i8 c)", "A%~"), "A%~");
    EXPECT_EQ(described("%{a}|%{b}|%c{c}", "XYZ(char a, char b, i8 c)", "\0\x1b\xff"s), "\\x00|\\x1b|\\xff");
    EXPECT_EQ(described("[%3c{a}|%-3c{a}|%d{a}|%02x{a}]", "XYZ+(char a)", "\n"), "[\\x0a|\\x0a|10|0a]");
    EXPECT_EQ(described("[%3c{a}|%-3c{a}]", "XYZ+(char a)", "x"), "[  x|x  ]");
}

TEST(DescribeTest, ArgumentsBeyondThePayloadAreMissing) {
    EXPECT_EQ(described("%{a} %{b}", "XYZ(f32 a, f64 b)", packed(1.5f, 2.5f)), "1.5 <missing>");
    EXPECT_EQ(described("%p{a}", "XYZ(ptr a)", "1234567"), "<missing>");
    EXPECT_EQ(described("%{a}%c{b}", "XYZ(u8 a, char b)", "\1"), "1<missing>");

    EXPECT_EQ(described("%{a} %{b}", "XYZ(u32 a, u32 b)", "\1\0\0\0\2\0"s), "1 <missing>");
    EXPECT_EQ(described("%{a}", "XYZ(u32 a)", ""), "<missing>");
    EXPECT_EQ(described("%{a} %{b}", "XYZ+(u32 a, str b)", "\1\0\0\0"s), "1 <missing>");
    EXPECT_EQ(describe("%{a}", signature("XYZ+(u32 a)"), {}), "<missing>");
}

TEST(DescribeTest, StringsWithoutEndAreMarked) {
    EXPECT_EQ(described("'%{a}'", "XYZ+(str a)", "hey"), "'hey<no end>'");
}

TEST(DescribeTest, TextsHaveAtMost1022Bytes) {
    std::string text = described("%{a}%{a}", "XYZ+(str a)", std::string(900, 'x') + '\0');
    EXPECT_EQ(text.size(), 1022u);
    EXPECT_EQ(described("%999d{a}%999d{a}", "XYZ(i32 a)", "\7\0\0\0"s).size(), 1022u);
    EXPECT_EQ(described("%{a}", "XYZ+(str a)", std::string(5000, 'x')).size(), 1022u);
}

}  // namespace

}  // namespace ovni::test
