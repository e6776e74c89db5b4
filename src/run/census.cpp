#include "run/census.hpp"

#include <set>

#include "ring/shared_file.hpp"

namespace ovni::run {

std::vector<writer::Ring> rings_in(const writer::Session& session) {
    std::vector<writer::Ring> rings;
    uint32_t count = session.header().rings.load(std::memory_order_acquire);
    for (uint32_t number = 0; number < count; ++number) {
        writer::Ring ring = writer::Ring::open(session.ring_path(number));
        if (!ring.is_mapped()) continue;
        writer::RingState state = ring.header().state.load(std::memory_order_acquire);
        if (state == writer::RingState::open || state == writer::RingState::closed)
            rings.push_back(std::move(ring));
    }
    return rings;
}

uint64_t bytes_in_shared_buffers(const writer::Session& session) {
    uint64_t bytes = 0;
    uint32_t count = session.header().rings.load(std::memory_order_acquire);
    for (uint32_t number = 0; number < count; ++number) {
        writer::SharedFile shared = writer::SharedFile::open(session.shared_path(number));
        if (!shared.is_mapped()) continue;
        const writer::SharedHeader& header = shared.buffer().header();
        uint64_t taken = header.beg_read.load(std::memory_order_acquire);
        bytes += header.reserved.load(std::memory_order_acquire) - taken;
    }
    return bytes;
}

Census census(const writer::Session& session, const std::vector<writer::Ring>& rings) {
    Census census;
    census.pending = bytes_in_shared_buffers(session);
    std::set<writer::ProcessId> processes;
    for (const writer::Ring& ring : rings) {
        const writer::RingHeader& header = ring.header();
        census.pending += header.published.load() - header.drained.load();
        bool is_new = processes.insert(owner_of(header)).second;
        if (is_new && owner_lives(header)) ++census.alive;
    }
    census.processes = processes.size();
    return census;
}

}  // namespace ovni::run
