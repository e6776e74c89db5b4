// The drainer's functions for shared buffers.
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "drain/drainer.hpp"

namespace ovni::writer {

bool Drainer::adopt_shared(uint32_t number) {
    SharedFile file = SharedFile::open(session_.shared_path(number));
    if (!file.is_mapped()) return false;
    shared_.push_back({number, std::make_unique<Mover>(std::move(file), static_cast<Mover::Rings&>(*this))});
    return true;
}

DrainedStream* Drainer::find(uint32_t number) {
    auto has_number = [&](const Owned& ring) { return ring.number == number; };
    auto found = std::ranges::find_if(rings_, has_number);
    if (found != rings_.end()) return found->stream.get();
    // It is there, but could not be opened when it was discovered.
    auto missing = std::ranges::find(missing_, number);
    if (missing == missing_.end()) return nullptr;
    for (Owned& ring : rings_) ring.stream->rest();
    if (!adopt_ring(number)) return nullptr;
    missing_.erase(missing);
    return rings_.back().stream.get();
}

// If possible, a stream that is still to be written.
DrainedStream* Drainer::reporter_of(const ProcessId& process) {
    auto is_of_process = [&](const Owned& ring) { return owner_of(ring.stream->header()) == process; };
    auto reports = [&](const Owned& ring) { return is_of_process(ring) && !is_over(ring.stream->header()); };
    auto found = std::ranges::find_if(rings_, reports);
    if (found == rings_.end()) found = std::ranges::find_if(rings_, is_of_process);
    return found == rings_.end() ? nullptr : found->stream.get();
}

void Drainer::make_room(DrainedStream& stream) {
    finish_closed();
    stream.drain();
}

Mover* Drainer::mover_of(const RingHeader& ring) {
    uint32_t number = ring.shared.load(std::memory_order_relaxed);
    for (const Shared& shared : shared_)
        if (shared.number + 1 == number) return shared.mover.get();
    return nullptr;
}

// They may have made rings since the last look.
void Drainer::empty_shared(const WhichOwner& are_gone) {
    std::vector<Mover*> movers;
    for (const Shared& shared : shared_)
        if (are_gone(shared.mover->owner())) movers.push_back(shared.mover.get());
    if (movers.empty()) return;
    discover();
    for (Mover* mover : movers) mover->move_all();
}

void Drainer::remove_shared(const WhichOwner& are_gone) {
    std::erase_if(shared_, [&](const Shared& shared) {
        bool gone = are_gone(shared.mover->owner());
        if (gone) ::unlink(session_.shared_path(shared.number).c_str());
        return gone;
    });
}

}  // namespace ovni::writer
