// The shared buffer as the NPTL Trace Tool published it, to compare with: `reserved` and `written` count
// records, and PAUSE stops the producers while the daemon waits for the one to reach the other. The literal
// form loses and overruns records (tests/unit/interleaving); the corrected one reserves first and reads in
// the other order.
#pragma once

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>

namespace ovni::bench {

enum class Form { literal, corrected };

template <Form form>
class PublishedBuffer {
 public:
    static constexpr uint64_t records = uint64_t{1} << 15;
    struct Record {
        uint64_t words[6];
    };

    void write(const Record& record) {
        wait_while([&] { return pause_.load(std::memory_order_acquire) != 0; });
        uint64_t at;
        if constexpr (form == Form::literal) {
            wait_while([&] {
                return reserved_.load(std::memory_order_relaxed) >=
                       beg_read_.load(std::memory_order_acquire) + records;
            });
            at = reserved_.fetch_add(1);
        } else {
            at = reserved_.fetch_add(1);
            wait_while([&] { return at >= beg_read_.load(std::memory_order_acquire) + records; });
        }
        data_[at % records] = record;
        written_.fetch_add(1);
    }

    // Takes what is there.
    uint64_t read() {
        uint64_t begin = beg_read_.load(std::memory_order_relaxed);
        pause_.store(1);
        uint64_t end = 0;
        wait_while([&] {
            end = written_.load();
            uint64_t reserved = reserved_.load();
            return end != (form == Form::literal ? reserved : std::min(reserved, begin + records));
        });
        if constexpr (form == Form::literal) end = written_.load();
        pause_.store(0);
        uint64_t sum = 0;
        for (uint64_t at = begin; at < end; ++at) {
            Record record;
            std::memcpy(&record, &data_[at % records], sizeof record);
            for (uint64_t word : record.words) sum += word;
        }
        beg_read_.store(end, std::memory_order_release);
        return sum;
    }

 private:
    template <class Condition>
    static void wait_while(Condition condition) {
        for (int spins = 0; condition();) {
            if (++spins < 200)
                __builtin_ia32_pause();
            else
                sched_yield();
        }
    }

    alignas(128) std::atomic<uint64_t> reserved_{0};
    alignas(128) std::atomic<uint64_t> written_{0};
    alignas(128) std::atomic<uint64_t> beg_read_{0};
    alignas(128) std::atomic<uint32_t> pause_{0};
    std::unique_ptr<Record[]> data_{new Record[records]()};
};

}  // namespace ovni::bench
