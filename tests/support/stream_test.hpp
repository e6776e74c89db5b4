// Support of tests of one stream: build() it, read_all() of it.
//
//     TEST_F(StreamTest, TruncatedPayloadNamesTheByteWhereItStarts) {
//         build().event("OHx", 10, {1, 2}).truncate(3);
//         EXPECT_ERROR_AT(read_all(), 8);
//     }
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "tests/support/trace_builder.hpp"
#include "trace/stream_reader.hpp"

namespace ovni::test {

// One line per event: offset, clock, code and bytes of payload; of a gap "gap" and "end" instead of a code.
inline std::string line_of(const EventView& event) {
    if (event.kind == EventView::Kind::event)
        return fmt::format("{} {} {} {}\n", event.offset, event.clock, event.code.text().data(),
                           event.payload().size());
    const char* kind = event.kind == EventView::Kind::gap_begin ? "gap" : "end";
    return fmt::format("{} {} {} {}\n", event.offset, event.clock, kind, event.gap->lost);
}

class StreamTest : public ::testing::Test {
 protected:
    StreamBuilder& build() { return stream_; }
    StreamReader reader(ClockOrder order = ClockOrder::checked, int64_t clock_offset = 0) {
        stream_.write(directory_.path());
        return StreamReader({directory_.path(), 0, clock_offset, order});
    }
    std::string read_all(ClockOrder order = ClockOrder::checked, int64_t clock_offset = 0) {
        read_.clear();
        for (StreamReader events = reader(order, clock_offset); events.next();)
            read_ += line_of(events.event());
        return read_;
    }
    // The events that read_all() had read before it threw.
    const std::string& read_before() const { return read_; }
    const std::filesystem::path& directory() const { return directory_.path(); }

 private:
    TemporaryDirectory directory_;
    StreamBuilder stream_{Identity{}};
    std::string read_;
};

}  // namespace ovni::test

// The statement throws an Error, whose text holds `part`.
#define EXPECT_ERROR(statement, part)                                               \
    try {                                                                           \
        static_cast<void>(statement);                                               \
        ADD_FAILURE() << #statement " does not throw, expected: " << (part);        \
    } catch (const ::ovni::Error& e) {                                              \
        EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what(); \
    }

// The statement throws an Error with a path and that byte offset.
#define EXPECT_ERROR_AT(statement, at)                                                     \
    try {                                                                                  \
        static_cast<void>(statement);                                                      \
        ADD_FAILURE() << #statement " does not throw, expected an error at byte " << (at); \
    } catch (const ::ovni::Error& e) {                                                     \
        EXPECT_EQ(e.offset, std::optional<uint64_t>(at)) << e.what();                      \
        EXPECT_FALSE(e.path.empty()) << e.what();                                          \
    }
