#include "emu/window.hpp"

#include <algorithm>
#include <tuple>

namespace ovni {

namespace {

constexpr int64_t at_the_end = INT64_MAX;

}  // namespace

Window::Window(const Comm& comm, Merger merger, Emulator& emulator, size_t size, int64_t origin,
               std::optional<TieExchange> order)
    : comm_(comm),
      merger_(std::move(merger)),
      emulator_(emulator),
      size_(size),
      origin_(origin),
      order_(std::move(order)),
      all_wait_(order_.has_value()) {
    mine_.rank = comm.rank();
}

void Window::fail(const std::string& what, int64_t time, uint32_t order) {
    what_ = what;
    mine_.error_time = time;
    mine_.error_order = order;
    mine_.done = at_the_end;
}

// Until there is enough to hand out, but always beyond what was handed out last: every step gets further.
void Window::emulate() {
    while (mine_.done != at_the_end && !mine_.waits) {
        if (mine_.done > limit_)
            mine_.done = at_the_end;
        else if (emulator_.tracker().queue().size() >= size_ && mine_.done > agreed_)
            return;
        else
            step();
    }
}

void Window::step() {
    const EventView* event = nullptr;
    try {
        event = merger_.next();
    } catch (const Error& e) {
        // Damage at the beginning of a stream lies before all events.
        int64_t clock = merger_.damaged_clock();
        return fail(e.what(), clock == INT64_MIN ? -1 : emulator_.now(), merger_.damaged_order());
    }
    if (!event) {
        mine_.done = merger_.known_until() == INT64_MAX ? at_the_end : merger_.known_until() - origin_;
        mine_.waits = 1;
        return;
    }
    try {
        emulator_.apply(*event);
    } catch (const Error& e) {
        return fail(e.what(), emulator_.now(), event->order);
    }
    mine_.now = emulator_.now();
    mine_.done = mine_.now - 1;
}

void Window::learn_order() {
    auto [until, ties] = order_->next();
    merger_.know(until, std::move(ties));
    mine_.waits = 0;
}

std::vector<int64_t> Window::shown_extras() const {
    return emulator_.tracker().extras().until(end());
}

void Window::take_before(int64_t time, Slice& slice) {
    emulator_.tracker().queue().take_before(time, slice.records, end());
    auto& changes = emulator_.tracker().breakdowns().changes();
    auto before = [&](const auto& change) { return change.time < time || time == RecordQueue::everything; };
    auto rest = std::ranges::partition_point(changes, before);
    slice.changes.assign(changes.begin(), rest);
    changes.erase(changes.begin(), rest);
    std::erase_if(slice.changes,
                  [&](const auto& change) { return Moment(change.time, change.order) > end(); });
}

bool Window::next(Slice& slice) {
    if (at_end_) return false;
    if (all_wait_) learn_order();
    comm_.agree([&] { emulate(); });
    std::vector<Position> all = comm_.allgather(mine_);
    auto by_error = [](const Position& p) { return std::tie(p.error_time, p.error_order); };
    const Position& first_error = *std::ranges::min_element(all, {}, by_error);
    int64_t done = std::ranges::min(all, {}, &Position::done).done;
    limit_ = first_error.error_time;
    at_end_ = done == at_the_end;
    agreed_ = done;
    all_wait_ =
        order_ && std::ranges::all_of(all, [](const Position& p) { return p.waits || p.done == at_the_end; });
    if (at_end_) finish(all, first_error);
    // What may have been made at the time of the error is sorted out in the last window.
    take_before(at_end_ ? RecordQueue::everything : std::min(done, limit_ - 1), slice);
    return true;
}

void Window::finish(const std::vector<Position>& all, const Position& first_error) {
    duration_ = std::ranges::max(all, {}, &Position::now).now;
    if (limit_ == INT64_MAX) return;
    error_ = comm_.broadcast(what_, first_error.rank);
    error_order_ = first_error.error_order;
    duration_ = std::max(limit_, int64_t{0});
}

}  // namespace ovni
