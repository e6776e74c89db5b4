#include "trace/stream_reader.hpp"

#include <gtest/gtest.h>

#include "support/stream_test.hpp"

namespace ovni::test {

class StreamReaderTest : public StreamTest {};

TEST_F(StreamReaderTest, DecodesTheEventsInFileOrder) {
    build().event("OHx", 1000, {0, -1, u64(0x55)}).jumbo("VYc", 1001, {u32(1), "hey"});
    build().event("OM[", 1002, {i64(3), 5}).event("OHe", 1003);
    EXPECT_EQ(read_all(), "8 1000 OHx 16\n36 1001 VYc 12\n60 1002 OM[ 12\n84 1003 OHe 0\n");
}

TEST_F(StreamReaderTest, TruncatedPayloadNamesTheByteWhereItStarts) {
    build().event("OHx", 10, {1, 2}).truncate(3);
    EXPECT_ERROR_AT(read_all(), 8);
}

}  // namespace ovni::test
