// The places of a stream where events are missing, as in stream.gaps.json. Readers refuse gaps that overlap
// or go back, so none does.
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

// A state of the list: how many gaps there are, and how far the last one has grown.
struct GapMark {
    uint64_t count, to, lost;
};

class Gaps {
 public:
    // A gap at the place of the last one, and with its reason, becomes part of it. A gap without length and
    // loss is none: it ends the last one, if that has this reason and no end.
    void add(Gap gap);
    // The stream ends at `end`: gaps with a later offset move there.
    void clamp(uint64_t end);
    // Everything that was to follow `end` is lost: `gap` takes in all gaps that lay there.
    void lose_after(uint64_t end, Gap gap);
    // True if events are lost between the end of the stream, `end`, and that of the thread.
    bool reach(uint64_t end) const {
        return !gaps_.empty() && gaps_.back().offset == end && gaps_.back().lost > 0;
    }
    bool empty() const { return gaps_.empty(); }
    // The file shows all of them.
    bool is_saved() const { return !is_changed_; }
    // Gaps, and growth of the last one, since the list had that mark.
    std::vector<Gap> behind(const GapMark& mark) const;
    // go_back_to() makes the list what it was when it had that mark.
    GapMark mark() const;
    void go_back_to(const GapMark& mark);

    // Writes the file: appends what has changed, if it is on disk, else all. False with errno, and the file
    // is what it was.
    bool save(const std::string& path);
    // Keeps room on disk for the first gaps: the disk may be full later.
    static void reserve(const std::string& path);
    static void give_up_reserve(const std::string& path);
    // Reads what save() wrote, even if that was interrupted; no gaps if the file is something else.
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
