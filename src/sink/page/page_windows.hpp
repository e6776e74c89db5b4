// Parts of the timeline that a page has in full: the changes of some rows in a window of time, and messages.
// A window may be known before its end is. Each rank has the changes of its own rows, and any messages.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "messages/match/message_record.hpp"
#include "sink/page/page_states.hpp"

namespace ovni {

enum class PageWindowKind : uint8_t { whole, wait, region };

struct PageWindow {
    PageWindowKind kind = PageWindowKind::whole;
    int64_t from = 0, to = INT64_MAX;
    std::vector<uint32_t> rows;  // ascending; empty: all
    size_t most_changes = 0;     // of a row
    size_t most_messages = 0;
    int64_t region = 0;
    uint32_t row = 0;  // that waits, or enters the region
    int64_t wait_from = 0, wait_to = 0;
};

// The changes of one row in one window.
struct PageClip {
    enum class Shows : uint8_t { category, region, wait };
    static constexpr size_t layers = 3;
    struct Change {
        int64_t time = 0, value = 0;
        Shows shows = Shows::category;
    };
    size_t window = 0;
    uint32_t row = 0;
    bool has_begun = false;
    int64_t cut_at = INT64_MAX;   // changes from here on are left out
    std::vector<Change> changes;  // the first three say what the row shows at the beginning
};

// A message in a window; plain data.
struct PageMessage {
    uint64_t window = 0;
    MessageRecord message;
};

class PageWindows {
 public:
    // Rows [first_row, end_row) are those of this rank.
    PageWindows(uint32_t first_row, uint32_t end_row);

    // Call in one order on all ranks, and before any change behind its beginning is taken. Returns its
    // number.
    size_t add(PageWindow window);
    void end_at(size_t window, int64_t time) { windows_[window].to = time; }

    // The row is about to change at that time, from that state.
    void before_change(uint32_t row, int64_t time, const PageState& state);
    void change(uint32_t row, int64_t time, PageClip::Shows shows, int64_t value);
    void take(const MessageRecord& message);
    // The row does not change any more.
    void finish(uint32_t row, const PageState& state);

    const std::deque<PageWindow>& windows() const { return windows_; }
    // Sorted by row, then window; without what came after the windows.
    std::vector<PageClip> clips();
    // The messages that this rank has, by window, then moment.
    std::vector<PageMessage> messages() const;

 private:
    struct RowClips {
        std::deque<PageClip> waiting;  // by the beginning of their windows
        std::vector<PageClip> active, done;
    };
    void begin(PageClip& clip, const PageState& state) const;
    RowClips& clips_of(uint32_t row) { return rows_[row - first_row_]; }

    uint32_t first_row_;
    std::vector<RowClips> rows_;
    std::deque<PageWindow> windows_;
    std::vector<std::vector<MessageRecord>> messages_;  // by window
};

}  // namespace ovni
