#include "emu/window.hpp"

#include <algorithm>
#include <tuple>

namespace ovni {

namespace {

constexpr int64_t at_the_end = INT64_MAX;

}  // namespace

Window::Window(const Comm& comm, Merger merger, Emulator& emulator, size_t size)
    : comm_(comm), merger_(std::move(merger)), emulator_(emulator), size_(size) {
    mine_.rank = comm.rank();
}

void Window::fail(const std::string& what, int64_t time, uint32_t stream) {
    what_ = what;
    mine_.error_time = time;
    mine_.error_stream = stream;
    mine_.done = at_the_end;
}

// Until there is enough to hand out, but always beyond what was handed out last: every step gets further.
void Window::emulate() {
    while (mine_.done != at_the_end) {
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
        return fail(e.what(), clock == INT64_MIN ? -1 : emulator_.now(), merger_.damaged_stream());
    }
    if (!event) {
        mine_.done = at_the_end;
        return;
    }
    try {
        emulator_.apply(*event);
    } catch (const Error& e) {
        return fail(e.what(), emulator_.now(), event->stream);
    }
    mine_.now = emulator_.now();
    mine_.done = mine_.now - 1;
}

std::vector<int64_t> Window::shown_extras() const {
    return emulator_.tracker().extras().until(end());
}

Slice Window::take_before(int64_t time) {
    Slice slice;
    slice.records = emulator_.tracker().queue().take_before(time);
    auto& changes = emulator_.tracker().breakdowns().changes();
    auto end = std::ranges::partition_point(changes, [&](auto& change) { return change.time < time; });
    slice.changes.assign(changes.begin(), end);
    changes.erase(changes.begin(), end);
    return slice;
}

std::optional<Slice> Window::next() {
    if (at_end_) return std::nullopt;
    comm_.agree([&] { emulate(); });
    std::vector<Position> all = comm_.allgather(mine_);
    auto by_error = [](const Position& p) { return std::tie(p.error_time, p.error_stream); };
    const Position& first_error = *std::ranges::min_element(all, {}, by_error);
    int64_t done = std::ranges::min(all, {}, &Position::done).done;
    limit_ = first_error.error_time;
    at_end_ = done == at_the_end;
    agreed_ = done;
    // What lies at the time of the error is sorted out in the last window.
    Slice slice = take_before(at_end_ ? done : std::min(done, limit_));
    if (at_end_) duration_ = std::ranges::max(all, {}, &Position::now).now;
    if (!at_end_ || limit_ == INT64_MAX) return slice;

    error_ = comm_.broadcast(what_, first_error.rank);
    duration_ = std::max(limit_, int64_t{0});
    error_stream_ = first_error.error_stream;
    Record last;
    last.time = limit_;
    last.order = error_stream_;
    std::erase_if(slice.records, [&](const Record& r) { return in_order(last, r); });
    std::erase_if(slice.changes, [&](const BreakdownChange& change) {
        return std::tie(last.time, last.order) < std::tie(change.time, change.order);
    });
    return slice;
}

}  // namespace ovni
