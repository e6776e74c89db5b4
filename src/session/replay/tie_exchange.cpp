#include "session/replay/tie_exchange.hpp"

#include <algorithm>

namespace ovni {

namespace {

constexpr uint64_t fewest_events = uint64_t{64} << 10;
constexpr uint64_t events_per_stream = 32;
constexpr uint64_t most_over_wanted = 4;
constexpr uint32_t first_width = 1 << 20;
constexpr int64_t nothing_left = INT64_MAX;

}  // namespace

TieExchange::TieExchange(const Ranks& ranks, std::vector<StreamReader> readers, size_t streams)
    : ranks_(ranks),
      window_(std::move(readers)),
      wanted_(std::max(fewest_events, events_per_stream * streams)),
      width_(first_width) {
    std::vector<uint32_t> mine;
    for (const StreamReader& reader : window_.readers()) mine.push_back(reader.index());
    PerRank<std::vector<uint32_t>> all = ranks_.gather(mine);
    if (!ranks_.is_root()) return;
    owners_.resize(streams);
    for (size_t rank = 0; rank < all.size(); ++rank)
        for (uint32_t stream : all[rank]) {
            streams_.push_back(stream);
            owners_[stream] = static_cast<int>(rank);
        }
    replay_.emplace(streams);
}

TieExchange::Round TieExchange::next() {
    // Only damage lies before 0.
    int64_t mine = std::max<int64_t>(window_.next_start().value_or(nothing_left), 0);
    int64_t start = ranks_.allreduce(Op::min, mine);
    if (start == nothing_left) return {nothing_left, Ties()};
    uint32_t width = scan(start);
    Ties ties(start, distribute(gather()));
    int64_t until = 0;
    if (__builtin_add_overflow(start, int64_t{width}, &until)) until = nothing_left;
    return {until, std::move(ties)};
}

uint32_t TieExchange::scan(int64_t start) {
    for (uint32_t width = width_;; width /= 4) {
        bool fits = ranks_.agree([&] { return window_.decode(start, width); });
        uint64_t entries = window_.entries().size();
        std::vector<uint64_t> sums =
            ranks_.allreduce(Op::sum, std::vector<uint64_t>{fits ? 0u : 1u, entries});
        bool fit_all = sums[0] == 0, too_many = sums[1] > most_over_wanted * wanted_;
        if (fit_all && (!too_many || width == 0)) {
            if (width == width_ && sums[1] < wanted_)
                width_ = width_ < EventWindow::widest / 2 ? 2 * width_ + 1 : EventWindow::widest;
            else
                width_ = width;
            return width;
        }
        window_.rewind();
        ranks_.agree([&] {
            if (width == 0 && !fits) window_.grow();
        });
    }
}

ClockRuns TieExchange::gather() {
    ClockRuns mine = ranks_.agree([&] { return window_.clocks(); });
    PerRank<std::vector<uint32_t>> counts = ranks_.gather(mine.counts);
    PerRank<std::vector<uint32_t>> times = ranks_.gather(mine.times);
    PerRank<std::vector<int64_t>> next = ranks_.gather(mine.next);
    return ranks_.agree([&] {
        ClockRuns all;
        std::vector<std::span<const uint32_t>> of_stream(owners_.size());
        all.next.assign(owners_.size(), ClockRuns::no_clock);
        auto stream = streams_.begin();
        for (size_t rank = 0; rank < counts.size(); ++rank) {
            std::span<const uint32_t> left = times[rank];
            for (size_t i = 0; i < counts[rank].size(); ++i, ++stream) {
                of_stream[*stream] = left.first(counts[rank][i]);
                left = left.subspan(counts[rank][i]);
                all.next[*stream] = next[rank][i];
            }
        }
        for (const auto& run : of_stream) {
            all.counts.push_back(static_cast<uint32_t>(run.size()));
            all.times.insert(all.times.end(), run.begin(), run.end());
        }
        return all;
    });
}

std::vector<uint32_t> TieExchange::distribute(const ClockRuns& all) {
    std::vector<Ties> of_rank(static_cast<size_t>(ranks_.size()));
    ranks_.agree([&] {
        if (ranks_.is_root()) replay_->find_ties(all, owners_, of_rank);
    });
    PerRank<std::span<const uint32_t>> parts;
    for (const Ties& ties : of_rank) parts.emplace_back(ties.words());
    return std::move(ranks_.alltoallv(parts).front());
}

}  // namespace ovni
