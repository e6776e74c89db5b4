#include "session/replay/window.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "session/replay/interruption.hpp"

namespace ovni {

namespace {

constexpr int64_t at_the_end = INT64_MAX;
constexpr int events_between_looks = 128;

// Moves the items before `time` into `taken`, in place of what is there, without those behind `end`.
template <class Item>
void take(std::vector<Item>& items, int64_t time, Moment end, std::vector<Item>& taken) {
    const auto rest = std::ranges::partition_point(items, [&](const Item& item) {
        return item.moment().first < time || time == RecordQueue::everything;
    });
    taken.assign(items.begin(), rest);
    items.erase(items.begin(), rest);
    std::erase_if(taken, [&](const Item& item) { return item.moment() > end; });
}

}  // namespace

Window::Window(const Ranks& ranks, Merger merger, Emulator& emulator, size_t size, int64_t origin,
               EventTally* tally, TrafficOutput* traffic, PendingCalls* calls)
    : ranks_(ranks),
      merger_(std::move(merger)),
      emulator_(emulator),
      size_(size),
      origin_(origin),
      traffic_(traffic),
      calls_(calls) {
    mine_.rank = ranks.rank();
    mine_.bytes = merger_.size();
    if (tally) tallied_.emplace(ranks, *tally);
}

void Window::fail(const std::string& what, Moment at) {
    what_ = what;
    std::tie(mine_.error_time, mine_.error_order) = at;
    mine_.done = at_the_end;
}

// Until there is enough to hand out, but always beyond what was handed out last: every step gets further.
void Window::emulate() {
    const RecordQueue& made = emulator_.tracker().queue();
    int64_t& done = mine_.done;
    while (done != at_the_end) {
        if (done > limit_) {
            done = at_the_end;
            break;
        }
        if (mine_.interrupted && done < limit_) break;
        const bool is_enough = made.size() >= size_ || (tallied_ && tallied_->is_full());
        if (is_enough && done > agreed_) break;
        play();
    }
    mine_.now = emulator_.now();
    mine_.events = emulator_.events();
    mine_.consumed = merger_.consumed();
}

// First the thread, then its channel: where that is, stands in the thread.
inline void Window::fetch_ahead() const {
    constexpr std::ptrdiff_t channel_distance = 20;
    if (const auto later = merger_.later<Merger::farthest>()) emulator_.fetch_thread(later->stream);
    if (const auto later = merger_.later<channel_distance>())
        emulator_.fetch_channel(later->stream, later->code);
}

// Some events, or as many as are good.
void Window::play() {
    const EventView* event = nullptr;
    try {
        for (int i = 0; i < events_between_looks; ++i) {
            event = nullptr;
            event = merger_.next();
            if (!event) {
                mine_.done = at_the_end;
                return;
            }
            fetch_ahead();
            emulator_.apply(*event);
            if (tallied_) tallied_->take(*event, emulator_.now());
            if (traffic_) traffic_->messages.take(*event, emulator_.now());
            if (calls_) calls_->take(*event);
        }
        mine_.done = emulator_.now() - 1;
        mine_.interrupted = is_interrupted();
    } catch (const Error& e) {
        // Damage at the beginning of a stream lies before all events.
        bool at_the_beginning = !event && merger_.damaged_clock() == INT64_MIN;
        int64_t time = at_the_beginning ? -1 : emulator_.now();
        fail(e.what(), {time, event ? event->order : merger_.damaged_order()});
    }
}

void Window::note_progress(const PerRank<Position>& all) {
    events_ = 0;
    uint64_t consumed = 0, bytes = 0;
    for (const Position& rank : all) {
        events_ += rank.events;
        consumed += rank.consumed;
        bytes += rank.bytes;
    }
    progress_ = bytes == 0 ? 1.0 : static_cast<double>(consumed) / static_cast<double>(bytes);
}

std::vector<int64_t> Window::shown_extras() const {
    return emulator_.tracker().extras().until(end());
}

void Window::take_before(int64_t time, Stretch& stretch) {
    emulator_.tracker().queue().take_before(time, stretch.records, end());
    take(emulator_.tracker().breakdowns().changes(), time, end(), stretch.changes);
    stretch.may_have_calls = calls_ != nullptr;
    if (calls_) calls_->take_before(time, stretch.calls, end());
    stretch.may_have_messages = traffic_ != nullptr;
    if (!traffic_) return;
    traffic_->messages.take_before(time, stretch.messages, end());
    traffic_->waits.merge_before(time, stretch.records, end());
}

// This takes one collective, if nothing but the trace is wrong.
PerRank<Window::Position> Window::emulate_all() {
    std::exception_ptr failure;
    try {
        emulate();
    } catch (...) {
        failure = std::current_exception();
        mine_.failed = 1;
    }
    PerRank<Position> all = ranks_.allgather(mine_);
    if (std::ranges::any_of(all, &Position::failed))
        ranks_.agree([&] {
            if (failure) std::rethrow_exception(failure);
        });
    return all;
}

bool Window::next(Stretch& stretch) {
    if (at_end_) return false;
    PerRank<Position> all = emulate_all();
    const Position& first_error = *std::ranges::min_element(all, {}, &Position::error);
    int64_t done = std::ranges::min(all, {}, &Position::done).done;
    limit_ = first_error.error_time;
    was_interrupted_ = done < limit_ && std::ranges::any_of(all, &Position::interrupted);
    at_end_ = done == at_the_end || was_interrupted_;
    note_progress(all);
    agreed_ = done;
    if (was_interrupted_)
        end_before(done);
    else if (at_end_)
        finish(all, first_error);
    // The last window sorts out what was made at the time of the error.
    int64_t final_before = std::min(done, limit_ - 1);
    take_before(at_end_ ? RecordQueue::everything : final_before, stretch);
    if (tallied_ && !at_end_) tallied_->settle(final_before);
    if (tallied_ && at_end_) tallied_->finish(end(), duration_);
    return true;
}

// Some ranks are further than others.
void Window::end_before(int64_t time) {
    duration_ = std::max(time, int64_t{0});
    end_ = {time - 1, std::numeric_limits<uint32_t>::max()};
}

void Window::finish(const PerRank<Position>& all, const Position& first_error) {
    duration_ = std::ranges::max(all, {}, &Position::now).now;
    if (limit_ == INT64_MAX) return;
    error_ = ranks_.broadcast(what_, first_error.rank);
    end_ = first_error.error();
    duration_ = std::max(limit_, int64_t{0});
}

}  // namespace ovni
