#include "run/census.hpp"

#include <set>
#include <utility>

namespace ovni::run {

std::vector<Ring> rings_in(const Session& session) {
    std::vector<Ring> rings;
    uint32_t count = session.header().rings.load(std::memory_order_acquire);
    for (uint32_t number = 0; number < count; ++number) {
        Ring ring = Ring::open(session.ring_path(number));
        if (!ring.is_mapped()) continue;
        RingState state = ring.header().state.load(std::memory_order_acquire);
        if (state == RingState::open || state == RingState::closed) rings.push_back(std::move(ring));
    }
    return rings;
}

Census census(const std::vector<Ring>& rings) {
    Census census;
    std::set<std::pair<pid_t, uint64_t>> processes;
    for (const Ring& ring : rings) {
        const RingHeader& header = ring.header();
        census.pending += header.published.load() - header.drained.load();
        bool is_new = processes.emplace(header.pid, header.process_start).second;
        if (is_new && owner_lives(header)) ++census.alive;
    }
    census.processes = processes.size();
    return census;
}

}  // namespace ovni::run
