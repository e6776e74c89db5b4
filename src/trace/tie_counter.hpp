// Counts events that share their clock with an event of another stream of their group (of their process,
// say). Sees the events window by window, by ascending time.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace ovni {

class TieCounter {
 public:
    explicit TieCounter(std::vector<uint32_t> group_of_stream);

    // Adds an event whose clock another event has too.
    void add(int64_t clock, uint32_t stream) {
        Group& group = groups_[group_of_stream_[stream]];
        if (group.clock != clock) {
            group = {clock, stream, 1};
        } else if (group.alone > 0 && group.stream == stream) {
            ++group.alone;
        } else {
            ties_ += group.alone + 1;
            group.alone = 0;
        }
    }
    uint64_t ties() const { return ties_; }

 private:
    // The last clock of a group. `alone`: its events so far if all are of one stream, else 0.
    struct Group {
        int64_t clock = INT64_MIN;
        uint32_t stream = 0;
        uint32_t alone = 0;
    };
    std::vector<uint32_t> group_of_stream_;
    std::vector<Group> groups_;
    uint64_t ties_ = 0;
};

inline TieCounter::TieCounter(std::vector<uint32_t> group_of_stream)
    : group_of_stream_(std::move(group_of_stream)) {
    uint32_t count = 0;
    for (uint32_t group : group_of_stream_) count = count > group ? count : group + 1;
    groups_.resize(count);
}

}  // namespace ovni
