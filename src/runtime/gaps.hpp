// The places of a stream where events are missing, listed in stream.gaps.json. An offset is that of the event
// which follows in stream.obs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ovni {

struct Gap {
    uint64_t offset;
    uint64_t from, to;  // clocks; to is UINT64_MAX where the gap has no end
    uint64_t lost;
    std::string reason;
};

class Gaps {
 public:
    // A gap that goes on where the last one of the same reason stands becomes part of it.
    void add(Gap gap);
    // No event follows at or after these offsets any more but at `end`.
    void clamp(uint64_t end);
    // What was to follow `end` is lost: one gap, with all gaps that lay among it.
    void lose_after(uint64_t end, Gap gap);
    // Events are lost between `end`, the end of the stream, and that of the thread.
    bool reach(uint64_t end) const {
        return !gaps_.empty() && gaps_.back().offset == end && gaps_.back().lost > 0;
    }
    bool empty() const { return gaps_.empty(); }
    bool changed() const { return changed_; }
    void saved() { changed_ = false; }
    // The whole file.
    std::string text() const;
    // What text() wrote; none where it is something else.
    static Gaps parse(const char* text);

 private:
    std::vector<Gap> gaps_;
    bool changed_ = false;
};

}  // namespace ovni
