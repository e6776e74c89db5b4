#include "session/deal/placements.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace ovni {

namespace {

// Takes the placement events of one stream after another.
class Collector {
 public:
    explicit Collector(size_t most) : most_(most) {}

    // False if something in the stream is not as it should be; emulation tells what.
    bool read(uint32_t stream, const OpenStream& open) {
        try {
            StreamReader reader = open(stream);
            if (reader.sorts()) return false;
            return !reader.next() || (reader.is_plain() ? take_plain(reader) : take_any(reader));
        } catch (const Error&) {
            return false;
        }
    }
    // There are more than all ranks may keep.
    bool is_full() const { return events_.size() > most_; }
    std::vector<PlacementEvent> events() { return std::move(events_); }

 private:
    bool take_any(StreamReader& reader) {
        do {
            const EventView& event = reader.event();
            if (event.kind == EventView::Kind::gap_begin) return false;
            if (is_placement(event) && !take(event)) return false;
        } while (!is_full() && reader.next());
        return true;
    }
    // Most events are no placements, and the fast way skips them.
    bool take_plain(StreamReader& reader) {
        constexpr size_t at_a_time = 4096;
        constexpr int64_t any_clock = std::numeric_limits<int64_t>::max();
        constexpr uint64_t any_bytes = std::numeric_limits<uint64_t>::max();
        bool is_good = true;
        const auto taker = [&](int64_t clock, uint64_t at, const uint8_t* bytes) {
            const auto code = EventCode::from_bytes(bytes + OVNI_FORMAT_CODE_AT);
            if (!is_placement(code)) return;
            is_good &=
                take({.clock = clock, .bytes = bytes, .offset = at, .stream = reader.index(), .code = code});
        };
        while (is_good && !is_full() && reader.take(any_clock, at_a_time, any_bytes, taker)) {
        }
        return is_good;
    }
    bool take(const EventView& event) {
        if (event.kind == EventView::Kind::event && event.jumbo()) return false;
        events_.emplace_back(event);
        return true;
    }

    const size_t most_;
    std::vector<PlacementEvent> events_;
};

}  // namespace

Placements find_placements(const Ranks& ranks, const Trace& trace, const System& system,
                           const Readers& readers, const OpenStream& open, const std::vector<bool>& wanted,
                           size_t most) {
    std::vector<uint64_t> unknown(system.processes().size());
    const std::vector<PlacementEvent> mine = ranks.agree([&] {
        Collector collector(most);
        for (uint32_t s = 0; s < trace.streams().size() && !collector.is_full(); ++s) {
            if (system.thread_of_stream(s) == System::no_thread) continue;
            const uint32_t process = system.process_of_stream(s);
            const std::vector<int>& able = readers(s);
            if (!wanted[process] || able[s % able.size()] != ranks.rank()) continue;
            if (!collector.read(s, open)) unknown[process] = 1;
        }
        return collector.events();
    });
    unknown = ranks.allreduce(Op::max, std::move(unknown));
    Placements all;
    all.are_too_many = ranks.allreduce(Op::sum, uint64_t{mine.size()}) > most;
    all.are_known.resize(unknown.size());
    if (all.are_too_many) return all;
    for (size_t process = 0; process < unknown.size(); ++process)
        all.are_known[process] = unknown[process] == 0;
    for (const auto& of_rank : ranks.allgather(mine))
        all.events.insert(all.events.end(), of_rank.begin(), of_rank.end());
    std::ranges::sort(all.events, {}, [](const PlacementEvent& event) {
        return std::tuple(event.clock, event.stream, event.offset);
    });
    return all;
}

}  // namespace ovni
