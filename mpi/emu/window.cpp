#include "emu/window.hpp"

#include <algorithm>
#include <tuple>

namespace ovni {

namespace {
// Records per rank and window: small enough to stay in the cache while they are exchanged.
constexpr size_t window_records = size_t{32} << 10;
}  // namespace

Window::Window(const Comm& comm, Merger merger, Emulator& emulator)
    : comm_(comm), merger_(std::move(merger)), emulator_(emulator) {
    mine_.rank = comm.rank();
}

void Window::fail(const std::string& what, uint32_t stream) {
    what_ = what;
    mine_.error_time = emulator_.now();
    mine_.error_stream = stream;
    mine_.done = INT64_MAX;
}

void Window::emulate() {
    while (mine_.done != INT64_MAX && emulator_.tracker().queue().size() < window_records) {
        const EventView* event = nullptr;
        try {
            event = merger_.next();
        } catch (const Error& e) {
            fail(e.what(), merger_.damaged_stream());
            return;
        }
        if (!event) {
            mine_.done = INT64_MAX;
            return;
        }
        try {
            emulator_.apply(*event);
        } catch (const Error& e) {
            fail(e.what(), event->stream);
            return;
        }
        mine_.now = emulator_.now();
        mine_.done = mine_.now - 1;
        if (mine_.done > limit_) mine_.done = INT64_MAX;
    }
}

std::optional<std::vector<Record>> Window::next() {
    if (at_end_) return std::nullopt;
    comm_.agree([&] { emulate(); });
    std::vector<Position> all = comm_.allgather(mine_);
    auto by_error = [](const Position& p) { return std::tie(p.error_time, p.error_stream); };
    const Position& first_error = *std::ranges::min_element(all, {}, by_error);
    int64_t done = std::ranges::min(all, {}, &Position::done).done;
    limit_ = first_error.error_time;
    at_end_ = done == INT64_MAX;
    // What lies at the time of the error is sorted out in the last window.
    std::vector<Record> records =
        emulator_.tracker().queue().take_before(at_end_ ? done : std::min(done, limit_));
    if (at_end_) duration_ = std::ranges::max(all, {}, &Position::now).now;
    if (!at_end_ || limit_ == INT64_MAX) return records;

    error_ = comm_.broadcast(what_, first_error.rank);
    duration_ = limit_;
    Record last;
    last.time = limit_;
    last.order = first_error.error_stream;
    std::erase_if(records, [&](const Record& r) { return in_order(last, r); });
    return records;
}

}  // namespace ovni
