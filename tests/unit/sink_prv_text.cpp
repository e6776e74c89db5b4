#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "sink/paraver/prv_text.hpp"
#include "tests/unit/sink_support.hpp"

namespace ovni {
namespace {

std::string text_of(const std::vector<Record>& records, TraceFile file = TraceFile::thread, size_t rows = 8) {
    std::string text;
    PrvText(file, rows).append(records, text);
    return text;
}

// The same by the library, field by field.
std::string plain_line(const Record& r, uint32_t row) {
    return "2:0:1:1:" + std::to_string(uint64_t{row} + 1) + ":" + std::to_string(r.time) + ":" +
           std::to_string(r.type) + ":" + std::to_string(r.value) + "\n";
}

TEST(PrvHeader, TheWidthIsTheSameForAnyDuration) {
    EXPECT_EQ(prv_header(1, 3), "#Paraver (19/01/38 at 03:14):00000000000000000003_ns:0:1:1(1:1)\n");
    EXPECT_EQ(prv_header(0, 0), "#Paraver (19/01/38 at 03:14):00000000000000000000_ns:0:1:1(0:1)\n");
    EXPECT_EQ(prv_header(64, 0).size(), prv_header(64, std::numeric_limits<int64_t>::max()).size());
}

TEST(PrvHeader, TheDateOfTheRunIsInUtc) {
    constexpr int64_t leap_day = 1709251139;  // 2024-02-29, 23:58:59
    for (const char* zone : {"UTC", "Pacific/Auckland", "America/Lima"}) {
        ::setenv("TZ", zone, 1);
        ::tzset();
        EXPECT_EQ(prv_header(1, 3, leap_day),
                  "#Paraver (29/02/24 at 23:58):00000000000000000003_ns:0:1:1(1:1)\n");
        EXPECT_EQ(prv_header(1, 3, 0), "#Paraver (01/01/70 at 00:00):00000000000000000003_ns:0:1:1(1:1)\n");
    }
    ::unsetenv("TZ");
    ::tzset();
    constexpr int64_t end_of_9999 = 253'402'300'799;
    EXPECT_EQ(prv_header(1, 0, end_of_9999).size(), prv_header(1, 0).size());
}

TEST(PrvText, WritesARecordIntoTheFilesInWhichItHasARow) {
    std::vector<Record> records{line(0, 6, 1, 0), line(0, 2, 4321, 0, 2), line(7, 3, 1, none, 1)};
    EXPECT_EQ(text_of(records, TraceFile::thread), "2:0:1:1:1:0:6:1\n2:0:1:1:1:0:2:4321\n");
    EXPECT_EQ(text_of(records, TraceFile::cpu), "2:0:1:1:3:0:2:4321\n2:0:1:1:2:7:3:1\n");
    EXPECT_EQ(text_of({}), "");
}

TEST(PrvText, WritesTimesAcrossEveryPowerOfTen) {
    std::vector<Record> records;
    std::string expected;
    for (int64_t power = 1; power <= std::numeric_limits<int64_t>::max() / 10; power *= 10)
        for (int64_t time : {power - 1, power, power + 1, power * 10 - 1})
            records.push_back(line(time, 4, 1, 0));
    records.push_back(line(std::numeric_limits<int64_t>::max(), 4, 1, 0));
    for (const Record& r : records) expected += plain_line(r, r.thread_row);
    EXPECT_EQ(text_of(records), expected);
}

TEST(PrvText, WritesTimesThatGoToAnotherBlockAndBack) {
    std::vector<Record> records;
    std::string expected;
    for (int64_t time :
         {9999L, 10000L, 19999L, 20000L, 9999L, 19999L, 10000L, 5L, 10005L, 123450000L, 123459999L})
        records.push_back(line(time, 4, 1, 0));
    for (const Record& r : records) expected += plain_line(r, r.thread_row);
    EXPECT_EQ(text_of(records), expected);
}

TEST(PrvText, WritesAnyValue) {
    std::vector<Record> records;
    std::string expected;
    for (int64_t value :
         {INT64_C(0), INT64_C(1), INT64_C(-1), INT64_C(255), INT64_C(256), INT64_C(2147483648),
          std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()})
        for (int repeat = 0; repeat < 2; ++repeat) records.push_back(line(1, 25, value, 0));
    for (const Record& r : records) expected += plain_line(r, r.thread_row);
    EXPECT_EQ(text_of(records), expected);
}

TEST(PrvText, WritesAnyTypeAndAnyRow) {
    std::vector<Record> records;
    std::string expected;
    for (uint32_t row : {0U, 9U, 999'998U, 999'999U, 1'000'000U, 4'294'967'294U})
        for (uint16_t type : {uint16_t{0}, uint16_t{1023}, uint16_t{1024}, uint16_t{65535}})
            records.push_back(line(std::numeric_limits<int64_t>::min(), type, 255, row));
    for (const Record& r : records) expected += plain_line(r, r.thread_row);
    EXPECT_EQ(text_of(records, TraceFile::thread, 1'000'001), expected);
    EXPECT_EQ(text_of(records, TraceFile::thread, 0), expected);
}

TEST(PrvText, WritesOneTypeAsSeveral) {
    FileSchema schema;
    schema.expanded_type = 300;
    schema.expansions = {":70000001:0:80000001:0", ":70000001:2:80000001:7"};
    PrvText formatter(TraceFile::thread, 1, schema);
    std::vector<Record> records = {line(5, 300, 1, 0), line(9, 300, 0, 0), line(9, 25, 0, 0)};
    std::string text;
    formatter.append(records, text);
    EXPECT_EQ(text,
              "2:0:1:1:1:5:70000001:2:80000001:7\n2:0:1:1:1:9:70000001:0:80000001:0\n2:0:1:1:1:9:25:0\n");
}

TEST(PrvText, FillsTheRoomItIsGivenAndNoByteMore) {
    std::vector<Record> records(100, line(std::numeric_limits<int64_t>::min(), 65535,
                                          std::numeric_limits<int64_t>::min(), 4'294'967'294U));
    std::string expected;
    for (const Record& r : records) expected += plain_line(r, r.thread_row);
    PrvText formatter(TraceFile::thread, 1);
    std::vector<char> room(PrvText::slack + 10);
    std::string text;
    for (std::span<const Record> rest = records; !rest.empty();) {
        auto [taken, bytes] = formatter.format(rest, room);
        ASSERT_GT(taken, 0U);
        ASSERT_LE(bytes, room.size());
        text.append(room.data(), bytes);
        rest = rest.subspan(taken);
    }
    EXPECT_EQ(text, expected);
    EXPECT_EQ(formatter.format(records, std::span(room).first(PrvText::slack - 1)).records, 0U);
}

TEST(PrvText, AgreesWithPlainFormattingOnARandomTrace) {
    std::mt19937_64 random(7);
    std::vector<Record> records;
    std::string thread, cpu;
    int64_t time = 0;
    for (int i = 0; i < 20'000; ++i) {
        time += static_cast<int64_t>(random() % (i % 100 == 0 ? 100'000'000 : 300));
        auto row = [&](uint32_t rows) {
            return random() % 5 ? static_cast<uint32_t>(random() % rows) : none;
        };
        auto value = static_cast<int64_t>(random() >> (random() % 64));
        records.push_back(line(time, static_cast<uint16_t>(random() % 1100), value, row(40), row(60)));
        const Record& r = records.back();
        if (r.thread_row != none) thread += plain_line(r, r.thread_row);
        if (r.cpu_row != none) cpu += plain_line(r, r.cpu_row);
    }
    EXPECT_EQ(text_of(records, TraceFile::thread, 40), thread);
    EXPECT_EQ(text_of(records, TraceFile::cpu, 60), cpu);
}

}  // namespace
}  // namespace ovni
