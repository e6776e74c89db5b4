// The places of a stream where events are missing, as in stream.gaps.json. Gaps are kept sorted and disjoint,
// because readers reject others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ovni::writer {

struct Gap {
    uint64_t offset;    // of the event that follows in stream.obs
    uint64_t from, to;  // clocks; to is UINT64_MAX if the gap has no end
    uint64_t lost;
    std::string reason;
};

// A state of the list: the number of gaps, and how far the last gap has grown.
struct GapMark {
    uint64_t count, to, lost;
};

class Gaps {
 public:
    // A gap with the place and the reason of the last gap is joined to it. An empty gap without loss is not
    // added: it ends the last gap, if that has this reason and no end.
    void add(Gap gap);
    // Moves gaps with an offset behind `end`, the end of the stream, to `end`.
    void clamp(uint64_t end);
    // All events behind `end` are lost: replaces the gaps there by `gap`, which includes them.
    void lose_after(uint64_t end, Gap gap);
    // True if events are lost between `end`, the end of the stream, and the end of the thread.
    bool reach(uint64_t end) const {
        return !gaps_.empty() && gaps_.back().offset == end && gaps_.back().lost > 0;
    }
    bool empty() const { return gaps_.empty(); }
    // True if the file has all gaps.
    bool is_saved() const { return !is_changed_; }
    // Gaps, and growth of the last gap, since `mark`.
    std::vector<Gap> behind(const GapMark& mark) const;
    // go_back_to() restores the list as it was at a mark.
    GapMark mark() const;
    void go_back_to(const GapMark& mark);

    // Writes the file: appends the changes if it is on disk, else writes all. On failure returns false with
    // errno and leaves the file unchanged.
    bool save(const std::string& path);
    // Keeps room on disk for the first gaps: the disk may be full later.
    static void reserve(const std::string& path);
    static void give_up_reserve(const std::string& path);
    // Reads the file, even if save() was interrupted; no gaps if it is another kind of file.
    static Gaps load(const std::string& path);

 private:
    void end_last(const Gap& end);
    void change(size_t first);
    std::string lines_from(size_t first) const;
    bool save_whole(const std::string& path);

    std::vector<Gap> gaps_;
    std::vector<uint64_t> lines_;  // offsets in the file of the gaps on disk
    size_t changed_ = 0;           // the first gap that differs from the file
    bool is_changed_ = false;
};

}  // namespace ovni::writer
