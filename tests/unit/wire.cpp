// Streams on their way to another rank.
#include "base/wire.hpp"

#include <gtest/gtest.h>

#include "session/trace_wire.hpp"
#include "tests/support/stream_test.hpp"

namespace ovni::test {

namespace {

Stream stream_of(int tid) {
    StreamBuilder built({.tid = tid, .rank = 2, .nranks = 4, .cpus = {{0, 10}, {1, 12}}});
    built.set("ovni.run", "job.7").set("ovni.name", "worker").mark(5, "stack", "phase", {{3, "three"}});
    built.set("ovni.end", {{"by", "signal"}, {"code", 11}, {"clock", 5}}).set("nosv.can_breakdown", true);
    built.set("nosv.hwc.0.name", "cycles").set("ovni.counters", {"page-faults"});
    built.set("mpi.modules.0", "1fa3 0 /a").set("mpi.sites.1", "MPI_Send 0+0x11d5 ?+0x7f00");
    Stream stream{.path = "loom/thread." + std::to_string(tid),
                  .metadata = parse_metadata(built.metadata_text(), "t"),
                  .bytes = 1234};
    stream.cpus = std::vector<int>{1, 3};
    stream.is_running = true;
    return stream;
}

ReadShare share_of(int streams) {
    ReadShare share{{}, {{"loom/thread.9", "it is cut", 8, 0}}};
    for (int s = 1; s <= streams; ++s) share.streams.push_back(stream_of(s));
    return share;
}

TEST(WireTest, AStreamArrivesAsItWas) {
    const ReadShare sent = share_of(2), got = wire::unpack<ReadShare>(wire::pack(sent));
    ASSERT_EQ(got.streams.size(), 2U);
    for (size_t s = 0; s < 2; ++s) {
        EXPECT_EQ(got.streams[s].relative_path(), sent.streams[s].relative_path());
        EXPECT_EQ(got.streams[s].metadata, sent.streams[s].metadata);
        EXPECT_EQ(got.streams[s].bytes, 1234U);
        EXPECT_EQ(got.streams[s].cpus, sent.streams[s].cpus);
        EXPECT_TRUE(got.streams[s].is_running && !got.streams[s].is_cut);
    }
    EXPECT_EQ(got.damages.at(0).end, 8U);
}

TEST(WireTest, WhatStreamsSayAlikeTravelsOnce) {
    const size_t one = wire::pack(share_of(1)).size(), two = wire::pack(share_of(2)).size();
    EXPECT_LT(two - one, 160U);
    EXPECT_GT(one, 400U);
}

TEST(WireTest, WhatStreamsSayAlikeIsKeptOnce) {
    EXPECT_EQ(&*stream_of(1).metadata.common, &*stream_of(2).metadata.common);
    EXPECT_EQ(&*stream_of(1).metadata.process, &*stream_of(2).metadata.process);
    EXPECT_LE(sizeof(Stream), 88U) << "every rank has all streams";
}

TEST(WireTest, AMessageThatEndsEarlyOrGoesOnIsAnError) {
    const std::string whole = wire::pack(share_of(2));
    for (size_t size = 0; size < whole.size(); ++size)
        EXPECT_ERROR(wire::unpack<ReadShare>(whole.substr(0, size)), "a message between ranks is damaged");
    EXPECT_ERROR(wire::unpack<ReadShare>(whole + "x"), "a message between ranks is damaged");
}

TEST(WireTest, AWrongCountOfItemsAsksForNoMemory) {
    std::string message = wire::pack(share_of(1));
    message.replace(0, 8, 8, '\x7f');
    EXPECT_ERROR(wire::unpack<ReadShare>(message), "a message between ranks is damaged");
}

}  // namespace

}  // namespace ovni::test
