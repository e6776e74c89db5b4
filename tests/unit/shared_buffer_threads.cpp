// The shared buffer with threads that run freely.
#include "tests/unit/shared_buffer_drainer.hpp"

namespace ovni::test {
namespace {

TEST_F(SharedBufferThreads, EveryRecordArrivesOnceInTheOrderOfItsThread) {
    constexpr uint64_t each = 20'000;
    for (int threads : {1, 2, 4, 8}) {
        std::filesystem::remove(file());
        unmap(memory_);
        make({.capacity = 4096});
        producers_ended_ = false;
        arrivals_ = {};
        start_reading();
        run_producers(threads, [](writer::SharedProducer& producer, uint32_t) {
            for (uint64_t i = 0; i < each; ++i) {
                if (i % 16 == 15)
                    ASSERT_TRUE(producer.write_jumbo(large, i, bytes_of(numbered_words(i / 16, 400))));
                else
                    ASSERT_TRUE(producer.write(own, i, Numbered(i - i / 16)));
            }
        });
        stop_reading();
        EXPECT_EQ(arrivals_.count(), each * static_cast<uint64_t>(threads));
        EXPECT_EQ(header().discarded.load() + header().lost_records.load(), 0u);
    }
}

TEST_F(SharedBufferThreads, DiscardingIsCountedExactly) {
    make({.capacity = 4096, .on_full = writer::SharedOnFull::discard});
    start_reading();
    std::atomic<uint64_t> written{0}, refused{0}, refused_last{0};
    run_producers(4, [&](writer::SharedProducer& producer, uint32_t) {
        uint64_t own_written = 0, own_refused = 0, since = 0;
        while (own_refused < 20'000 || own_written < 1'000) {
            bool done = producer.write(own, own_written, Numbered(own_written));
            own_written += done;
            own_refused += !done;
            since = done ? 0 : since + 1;
        }
        written += own_written;
        refused += own_refused;
        refused_last += since;
    });
    stop_reading();
    EXPECT_EQ(arrivals_.count(), written);
    EXPECT_EQ(header().discarded.load(), refused);
    EXPECT_EQ(arrivals_.lost_before(), refused - refused_last);
}

}  // namespace
}  // namespace ovni::test
