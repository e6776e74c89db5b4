#include "sink/page/page_windows.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ovni {

PageWindows::PageWindows(uint32_t first_row, uint32_t end_row)
    : first_row_(first_row), rows_(end_row - first_row) {}

size_t PageWindows::add(PageWindow window) {
    const size_t number = windows_.size();
    const auto from = window.from;
    auto add_row = [&](uint32_t row) {
        if (row < first_row_ || row - first_row_ >= rows_.size()) return;
        std::deque<PageClip>& waiting = clips_of(row).waiting;
        const auto place = std::ranges::upper_bound(
            waiting, from, {}, [&](const PageClip& clip) { return windows_[clip.window].from; });
        waiting.insert(place, PageClip{.window = number, .row = row, .changes = {}});
    };
    if (window.rows.empty())
        for (size_t i = 0; i < rows_.size(); ++i) add_row(first_row_ + static_cast<uint32_t>(i));
    for (uint32_t row : window.rows) add_row(row);
    windows_.push_back(std::move(window));
    messages_.emplace_back();
    return number;
}

void PageWindows::begin(PageClip& clip, const PageState& state) const {
    const int64_t from = windows_[clip.window].from;
    clip.has_begun = true;
    clip.changes = {{from, state.category(), PageClip::Shows::category},
                    {from, state.region(), PageClip::Shows::region},
                    {from, state.wait(), PageClip::Shows::wait}};
}

void PageWindows::before_change(uint32_t row, int64_t time, const PageState& state) {
    RowClips& clips = clips_of(row);
    while (!clips.waiting.empty() && windows_[clips.waiting.front().window].from <= time) {
        begin(clips.waiting.front(), state);
        clips.active.push_back(std::move(clips.waiting.front()));
        clips.waiting.pop_front();
    }
}

void PageWindows::change(uint32_t row, int64_t time, PageClip::Shows shows, int64_t value) {
    RowClips& clips = clips_of(row);
    bool any_ends = false;
    for (PageClip& clip : clips.active) {
        const PageWindow& window = windows_[clip.window];
        if (time < window.to && clip.changes.size() < window.most_changes) {
            clip.changes.push_back({time, value, shows});
            continue;
        }
        clip.cut_at = time;
        any_ends = true;
    }
    if (!any_ends) return;
    auto ended = std::ranges::stable_partition(clips.active,
                                               [](const PageClip& clip) { return clip.cut_at == INT64_MAX; });
    std::ranges::move(ended, std::back_inserter(clips.done));
    clips.active.erase(ended.begin(), ended.end());
}

void PageWindows::finish(uint32_t row, const PageState& state) {
    before_change(row, INT64_MAX, state);
    RowClips& clips = clips_of(row);
    std::ranges::move(clips.active, std::back_inserter(clips.done));
    clips.active.clear();
}

// The end of a window may be found later: messages that are behind it are left out then.
void PageWindows::take(const MessageRecord& message) {
    for (size_t w = 0; w < windows_.size(); ++w) {
        const PageWindow& window = windows_[w];
        if (messages_[w].size() >= window.most_messages) continue;
        if (message.time < window.from || message.time >= window.to) continue;
        auto has = [&](uint32_t row) {
            return window.rows.empty() || std::ranges::binary_search(window.rows, row);
        };
        if (has(message.sender_row) && has(message.receiver_row)) messages_[w].push_back(message);
    }
}

std::vector<PageClip> PageWindows::clips() {
    std::vector<PageClip> all;
    for (RowClips& row : rows_) {
        for (PageClip& clip : row.done) {
            const int64_t to = windows_[clip.window].to;
            std::erase_if(clip.changes, [&](const auto& change) { return change.time >= to; });
            if (clip.cut_at >= to) clip.cut_at = INT64_MAX;
        }
        std::ranges::sort(row.done, {}, &PageClip::window);
        std::ranges::move(row.done, std::back_inserter(all));
        row.done.clear();
    }
    return all;
}

std::vector<PageMessage> PageWindows::messages() const {
    std::vector<PageMessage> all;
    for (size_t w = 0; w < windows_.size(); ++w)
        for (const MessageRecord& message : messages_[w])
            if (message.time < windows_[w].to) all.push_back({w, message});
    return all;
}

}  // namespace ovni
