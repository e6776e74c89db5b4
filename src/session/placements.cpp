#include "session/placements.hpp"

#include <algorithm>
#include <tuple>

namespace ovni {

namespace {

// False if something in the stream is not as it should be; emulation tells what.
bool append_placements(uint32_t stream, const OpenStream& open, size_t most,
                       std::vector<PlacementEvent>& events) {
    try {
        StreamReader reader = open(stream);
        if (reader.sorts()) return false;
        for (bool more = reader.next(); more; more = reader.next()) {
            const EventView& event = reader.event();
            if (event.kind == EventView::Kind::gap_begin) return false;
            if (!is_placement(event)) continue;
            if (event.kind == EventView::Kind::event && event.jumbo()) return false;
            events.emplace_back(event);
            if (events.size() > most) return true;
        }
        return true;
    } catch (const Error&) {
        return false;
    }
}

}  // namespace

Placements find_placements(const Ranks& ranks, const Trace& trace, const System& system,
                           const Readers& readers, const OpenStream& open, const std::vector<bool>& wanted,
                           size_t most) {
    std::vector<uint64_t> unknown(system.processes().size());
    const std::vector<PlacementEvent> mine = ranks.agree([&] {
        std::vector<PlacementEvent> events;
        for (uint32_t s = 0; s < trace.streams().size() && events.size() <= most; ++s) {
            if (system.thread_of_stream(s) == System::no_thread) continue;
            const uint32_t process = system.process_of_stream(s);
            const std::vector<int>& able = readers(s);
            if (!wanted[process] || able[s % able.size()] != ranks.rank()) continue;
            if (!append_placements(s, open, most, events)) unknown[process] = 1;
        }
        return events;
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
