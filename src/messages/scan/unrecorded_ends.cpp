// ProcessEnds: gaps in the recording, and what a process reports of its pauses.
#include <algorithm>
#include <set>

#include "calls/call_reader.hpp"
#include "messages/scan/process_ends.hpp"
#include "ovni/mpi_events.h"

namespace ovni {

void ProcessEnds::unrecorded(const EventView& event, const MpiUnrecorded& count) {
    const uint32_t number = count.communicator.number;
    if (number == OVNI_MPI_NO_OBJECT) {
        has_lost_ = true;
        return take_gap(event.clock);
    }
    if (count.peer == OVNI_MPI_ANY) return;  // collectives
    MessageEnd place;
    place.order = event.clock;
    place.stream = event.stream;
    place.offset = event.offset;
    const Peer peer{count.peer, count.tag};
    add_unrecorded(Side::sends, number, peer, place, count.sends);
    add_unrecorded(Side::receives, number, peer, place, count.receives);
}

void ProcessEnds::ended_unrecorded(const Request& request, const MpiUnrecordedEnd& end) {
    const bool has_effect = end.how == OVNI_MPI_COMPLETED || end.how == OVNI_MPI_FREED;
    if (has_effect && request.sends)
        add(Side::sends, request.communicator, peer_of(request), end_of(request, true));
    if (has_effect && request.is_collective && request.turn != 0) add_collective(request);
    if (request.receives && end.how == OVNI_MPI_FREED) add_uncompleted(request, true);
    if (request.receives && end.how == OVNI_MPI_COMPLETED)
        add_unrecorded(Side::receives, request.communicator, {end.peer, end.tag, request.made, request.turn},
                       end_of(request, false), 1);
}

void ProcessEnds::interrupted(const CallThread& /*caller*/, const EventView& event, bool is_counted) {
    uninterrupted_until_ = std::min(uninterrupted_until_, event.clock);
    // Their messages may be received in the gap.
    probes_.clear();
    if (is_counted) return;
    has_lost_ = has_lost_ || event.kind != EventView::Kind::cut;
    take_gap(event.clock);
}

// It is unknown what was done in a gap, and how requests that were under way there went on.
void ProcessEnds::take_gap(int64_t clock) {
    complete_until_ = std::min(complete_until_, clock);
    reader().requests().visit([&](const Request& request) {
        if (request.receives) complete_until_ = std::min(complete_until_, request.order);
    });
    for (const auto& [number, found] : reader().found())
        complete_until_ = std::min(complete_until_, found.order);
    uninterrupted_until_ = std::min(uninterrupted_until_, complete_until_);
}

ProcessEnds::Recorded ProcessEnds::recorded() const {
    if (complete_until_ != INT64_MAX) return Recorded::but_gaps;
    return uninterrupted_until_ != INT64_MAX ? Recorded::but_pauses : Recorded::all;
}

// Several ends of one place, whose partners have no partner.
void ProcessEnds::add_unrecorded(Side side, uint32_t communicator, Peer peer, const MessageEnd& place,
                                 uint64_t count) {
    if (count == 0) return;
    MessageEnd end = place;
    end.unrecorded = 1;
    end.bytes = count;
    end.wait_begin = end.wait_end = end.order;
    end.completed_in = MessageEnd::no_stream;
    add(side, communicator, peer, end);
}

// Marks receives that are posted behind a doubtful one with their key: it may have taken a message before
// them.
void ProcessEnds::mark_doubtful() {
    std::set<KeyOfProcess> freed;
    for (const Doubtful& receive : doubtful_) {
        KeyOfProcess of;
        int rank = 0;
        bool is_inter = false;
        if (!identify(receive.communicator, of.key.communicator, of.key.scope, rank, is_inter)) continue;
        auto is_its = [&](const MessageKey& key) {
            return key.communicator == of.key.communicator && key.scope == of.key.scope &&
                   (receive.peer == OVNI_MPI_ANY || receive.peer == key.sender) &&
                   (receive.tag == OVNI_MPI_ANY || receive.tag == key.tag);
        };
        for (const auto& [key, number] : keys_)
            if (key.side == Side::receives && is_its(key.key)) found_.ends[number].doubt_from(receive.order);
        if (!receive.is_freed) continue;
        of.key.sender = receive.peer;
        of.key.receiver = rank;
        of.key.tag = receive.tag;
        of.process = facts_.process;
        of.side = Side::receives;
        of.is_inter = is_inter;
        freed.insert(of);
    }
    found_.freed.insert(found_.freed.end(), freed.begin(), freed.end());
}

}  // namespace ovni
