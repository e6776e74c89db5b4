// Counters of one thread that one system call reads, or none: if all of them may be read from their pages.
// Owning thread only. The program may close the descriptors and give their numbers to files of its own: they
// are neither read nor closed then.
#pragma once

#include <linux/perf_event.h>

#include <cstddef>
#include <cstdint>

#include "core/counter_names.hpp"

namespace ovni::counters {

class CounterGroup {
 public:
    // Takes one more counter, whose values go to that place. 0, or the error number.
    int add(const CounterRow& row, size_t place) noexcept;
    // Counts from now on. Call when all counters are in it.
    void begin() noexcept;
    bool is_empty() const { return size_ == 0; }
    // May the counter go into this group?
    bool takes(const CounterRow& row) const;

    enum class Reading : uint8_t {
        whole,
        scaled,  // others had the processor's counters for a part of the time: the rest is an estimate
        gone     // the descriptors are not ours any more
    };
    // Adds what was counted since the last reading to the places.
    Reading read(uint64_t* deltas) noexcept;
    void close() noexcept;

 private:
    struct Member {
        int descriptor = -1;
        uint8_t place = 0;
        const perf_event_mmap_page* page = nullptr;
        uint64_t last = 0;
    };
    // The layout that the kernel writes, by the read_format of perf_event.cpp.
    struct Values {
        uint64_t count, enabled, running;
        uint64_t of_member[CounterChoice::most];
    };
    void map_page(Member& member) noexcept;
    bool read_pages(uint64_t* now) noexcept;
    bool read_all(Values& values) const noexcept;

    Member members_[CounterChoice::most];
    size_t size_ = 0;
    CounterKind kind_ = CounterKind::software;
    bool has_pages_ = true;  // all members can be read from their pages
    uint64_t enabled_ = 0, running_ = 0;
};

}  // namespace ovni::counters
