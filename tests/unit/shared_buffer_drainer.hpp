// A shared buffer with a drainer that reads it in a thread of its own, and threads that write.
#pragma once

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "tests/unit/shared_buffer_test.hpp"

namespace ovni::test {

inline constexpr EventCode own("OB."), handled("OU["), large("VYc");

#if defined(__SANITIZE_THREAD__)
inline constexpr bool is_tsan = true, is_asan = false;
#elif defined(__SANITIZE_ADDRESS__)
inline constexpr bool is_tsan = false, is_asan = true;
#else
inline constexpr bool is_tsan = false, is_asan = false;
#endif

class SharedBufferThreads : public SharedBufferTest {
 protected:
    // The drainer: reads until no producer is left, and then what is still there.
    void start_reading(writer::SharedReader::Lives lives = writer::thread_lives) {
        ASSERT_TRUE(reader_.open(buffer_, lives));
        drainer_ = std::thread([this] {
            for (;;) {
                bool is_last = producers_ended_.load();
                size_t count = reader_.read(arrivals_);
                reader_.release();
                if (is_last && reader_.is_drained()) return;
                if (count == 0) reader_.sleep(1'000'000);
            }
        });
    }
    void stop_reading() {
        producers_ended_ = true;
        drainer_.join();
        EXPECT_EQ(arrivals_.torn(), 0u);
        EXPECT_EQ(arrivals_.out_of_order(), 0u);
        EXPECT_EQ(header().damaged_bytes.load(), 0u);
        EXPECT_EQ(arrivals_.space() + header().lost_bytes.load(), header().reserved.load());
        EXPECT_EQ(header().freed.load(), header().reserved.load());
    }
    void run_producers(int count, const std::function<void(writer::SharedProducer&, uint32_t tid)>& body) {
        std::vector<std::thread> threads;
        for (int i = 0; i < count; ++i)
            threads.emplace_back([&] {
                writer::SharedProducer producer;
                uint32_t tid = own_tid();
                EXPECT_TRUE(producer.open(buffer_, own_pid(), tid));
                body(producer, tid);
                producer.close();
            });
        for (std::thread& thread : threads) thread.join();
    }

    writer::SharedReader reader_;
    Arrivals arrivals_;
    std::atomic<bool> producers_ended_{false};
    std::thread drainer_;
};

}  // namespace ovni::test
