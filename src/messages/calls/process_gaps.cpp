// ProcessMessages: gaps in the recording, and what a process tells of its pauses.
#include <algorithm>
#include <set>

#include "messages/calls/process_messages.hpp"
#include "ovni/mpi_events.h"

namespace ovni {

namespace {

using Side = KeyOfProcess::Side;

}  // namespace

void ProcessMessages::count_unrecorded(const EventView& event, const MpiUnrecorded& unrecorded) {
    const uint32_t number = unrecorded.communicator.number;
    if (number == OVNI_MPI_NO_OBJECT) {
        has_lost_ = true;
        return meet_gap(event.clock);
    }
    // Fences tell the number alone.
    if (unrecorded.communicator.id != 0) communicators_.meet(unrecorded.communicator);
    if (unrecorded.peer == OVNI_MPI_ANY) return void(turns_[number] += unrecorded.sends);
    MessageEnd place;
    place.order = event.clock;
    place.stream = event.stream;
    place.offset = event.offset;
    const Peer peer{unrecorded.peer, unrecorded.tag};
    add_unrecorded(Side::sends, number, peer, place, unrecorded.sends);
    add_unrecorded(Side::receives, number, peer, place, unrecorded.receives);
}

void ProcessMessages::meet_under_way(const EventView& event, const MpiUnderWay& receive) {
    communicators_.meet(receive.communicator);
    Request request;
    request.receives = request.unrecorded = true;
    request.call.communicator = receive.communicator.number;
    request.call.peer = receive.peer;
    request.call.tag = receive.tag;
    request.call.offset = event.offset;
    request.stream = event.stream;
    request.order = event.clock;
    requests_[receive.request] = request;
}

// The trace does not tell when. An end that it has shown is told again if recording stopped next to it.
void ProcessMessages::end_unrecorded(const MpiUnrecordedEnd& end) {
    auto known = requests_.find(end.request);
    if (known == requests_.end()) return;
    Request request = known->second;
    requests_.erase(known);
    const bool has_effect = end.how == OVNI_MPI_COMPLETED || end.how == OVNI_MPI_FREED;
    const bool has_message = request.receives && end.how == OVNI_MPI_COMPLETED;
    if (has_effect && request.sends)
        add(Side::sends, request.call.communicator, peer_of(request.call), end_of(request, true));
    if (has_effect && request.is_collective) add_collective(request);
    if (request.receives && end.how == OVNI_MPI_FREED) add_freed(request);
    if (has_message)
        add_unrecorded(Side::receives, request.call.communicator,
                       {end.peer, end.tag, request.call.made, request.call.turn}, end_of(request, false), 1);
}

// Nothing is known of what was done in a gap, or of what was under way there.
void ProcessMessages::meet_gap(int64_t clock) {
    complete_until_ = std::min(complete_until_, clock);
    for (const auto& [number, request] : requests_)
        if (request.receives) complete_until_ = std::min(complete_until_, request.order);
    for (const auto& [number, found] : matched_) complete_until_ = std::min(complete_until_, found.order);
    uninterrupted_until_ = std::min(uninterrupted_until_, complete_until_);
}

ProcessMessages::Recorded ProcessMessages::recorded() const {
    if (complete_until_ != INT64_MAX) return Recorded::but_gaps;
    return uninterrupted_until_ != INT64_MAX ? Recorded::but_pauses : Recorded::all;
}

// A send that ended in the call that posts it counts if that call leaves in order.
void ProcessMessages::take_back_sends(Thread& thread, uint32_t stream) {
    const Call& call = thread.call;
    if (!call.function || call.function->record != MpiRecord::PostedSend) return;
    std::erase_if(thread.ends, [&](const MessageEnd& end) {
        return end.stream == stream && end.offset == call.offset && end.unrecorded == 0;
    });
}

// Several ends of one place, whose partners have no partner.
void ProcessMessages::add_unrecorded(Side side, uint32_t communicator, Peer peer, const MessageEnd& place,
                                     uint64_t count) {
    if (count == 0) return;
    MessageEnd end = place;
    end.unrecorded = 1;
    end.bytes = count;
    end.wait_begin = end.wait_end = end.order;
    end.completed_in = MessageEnd::no_stream;
    add(side, communicator, peer, end);
}

void ProcessMessages::doubt(const Request& receive) {
    doubtful_.push_back(receive);
}

// Receives of a doubtful one's keys that are posted behind it: it may have taken a message before them.
void ProcessMessages::mark_doubtful() {
    std::set<KeyOfProcess> freed;
    for (const Request& receive : doubtful_) {
        KeyOfProcess of;
        int rank = 0;
        bool is_inter = false;
        if (!identify(receive.call.communicator, of.key.communicator, of.key.scope, rank, is_inter)) continue;
        auto is_its = [&](const MessageKey& key) {
            return key.communicator == of.key.communicator && key.scope == of.key.scope &&
                   (receive.call.peer == OVNI_MPI_ANY || receive.call.peer == key.sender) &&
                   (receive.call.tag == OVNI_MPI_ANY || receive.call.tag == key.tag);
        };
        for (const auto& [key, number] : keys_)
            if (key.side == Side::receives && is_its(key.key)) found_.ends[number].doubt_from(receive.order);
        if (!receive.is_freed) continue;
        of.key.sender = receive.call.peer;
        of.key.receiver = rank;
        of.key.tag = receive.call.tag;
        of.process = facts_.process;
        of.side = Side::receives;
        of.is_inter = is_inter;
        freed.insert(of);
    }
    found_.freed.insert(found_.freed.end(), freed.begin(), freed.end());
}

}  // namespace ovni
