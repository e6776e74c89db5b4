// Counters of one thread that are read by one system call, or without one if all can be read from their
// pages. Owning thread only. The program may close the descriptors and reuse their numbers: then they are
// neither read nor closed.
#pragma once

#include <linux/perf_event.h>

#include <cstddef>
#include <cstdint>

#include "core/counter_names.hpp"

namespace ovni::counters {

class CounterGroup {
 public:
    // Adds a counter, whose values go to index `place`. Returns 0, or the error number.
    int add(const CounterRow& row, size_t place) noexcept;
    // Starts counting. Call when all counters are added.
    void begin() noexcept;
    bool is_empty() const { return size_ == 0; }
    // True if the counter can be added to this group.
    bool takes(const CounterRow& row) const;

    enum class Reading : uint8_t {
        whole,
        scaled,  // the processor's counters were shared for a part of the time: the values are estimates
        gone     // the descriptors are no longer ours
    };
    // Adds the counts since the last reading to `deltas`.
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
