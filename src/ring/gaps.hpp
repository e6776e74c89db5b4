// The places of a stream where events are missing, listed in stream.gaps.json. An offset is that of the event
// which follows in stream.obs. Readers refuse gaps that overlap or go back, so none does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ovni::writer {

struct Gap {
    uint64_t offset;
    uint64_t from, to;  // clocks; to is UINT64_MAX where the gap has no end
    uint64_t lost;
    std::string reason;
};

// How many gaps there are, and how far the last one, which may still grow, has come.
struct GapMark {
    uint64_t count, to, lost;
};

class Gaps {
 public:
    // A gap that goes on where the last one of the same reason stands becomes part of it. One without length
    // and loss is no gap: it ends the last one where that has the same reason and no end.
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
    // As it was when that was the mark.
    GapMark mark() const;
    void go_back_to(const GapMark& mark);

    // The file, which grows at its end; where it is on disk as a whole, up to what has changed since. False
    // with errno, and the file is what it was.
    bool save(const std::string& path);
    // A disk that is full later has room for the first gaps.
    static void reserve(const std::string& path);
    static void give_up_reserve(const std::string& path);
    // What save() wrote, also where it was interrupted; none where it is something else.
    static Gaps load(const std::string& path);

 private:
    void end_last(const Gap& end);
    void change(size_t first);
    std::string lines_from(size_t first) const;
    bool save_whole(const std::string& path);

    std::vector<Gap> gaps_;
    std::vector<uint64_t> lines_;  // where those on disk begin in the file
    size_t changed_ = 0;           // the first that the file does not show as it is
    bool is_changed_ = false;
};

}  // namespace ovni::writer
