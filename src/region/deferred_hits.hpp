// Hits in a thread while it forks. It holds locks that an event needs, so the hits are reported after the
// fork: in the parent, and in the child, which has passed these sites, too. Only one thread forks at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace ovni::region {

class DeferredHits {
 public:
    void add(std::span<const uint16_t> alarms) noexcept {
        for (const uint16_t alarm : alarms) {
            if (size_ > 0 && runs_[size_ - 1].alarm == alarm)
                ++runs_[size_ - 1].hits;
            else if (size_ < runs_.size())
                runs_[size_++] = {alarm, 1};
            else
                ++lost_;
        }
    }
    // Calls hit(alarm) for each hit; returns the number of hits that found no room.
    template <class Hit>
    uint64_t report(Hit hit) noexcept {
        const size_t size = std::exchange(size_, 0);
        for (size_t i = 0; i < size; ++i)
            for (; runs_[i].hits > 0; --runs_[i].hits) hit(runs_[i].alarm);
        return std::exchange(lost_, 0);
    }

 private:
    struct Run {
        uint16_t alarm;
        uint32_t hits;
    };
    std::array<Run, 512> runs_{};
    size_t size_ = 0;
    uint64_t lost_ = 0;
};

}  // namespace ovni::region
