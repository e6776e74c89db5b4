#include "messages/scan/process_ends.hpp"

#include <algorithm>

#include "calls/call_reader.hpp"
#include "calls/mpi_functions.hpp"
#include "ovni/mpi_events.h"

namespace ovni {

namespace {

// The end that a blocking call makes itself.
MessageEnd end_of_blocking(const CallThread& caller, int64_t leave) {
    const Call& call = caller.call;
    MessageEnd end;
    end.order = end.posted = end.wait_begin = call.enter;
    end.left = end.wait_end = leave;
    end.offset = call.offset;
    end.stream = caller.stream;
    end.function = end.completed_by = index_of(*call.function);
    return end;
}

// If the enter of the call was not recorded, no wait is known.
template <class End>
void complete_in_call(End& end, const CallThread& caller) {
    end.wait_begin = end.wait_end = caller.now;
    if (!caller.call.function) return;
    end.wait_begin = caller.call.enter;
    end.completed_in = caller.stream;
    end.completed_by = index_of(*caller.call.function);
}

}  // namespace

MessageEnd ProcessEnds::end_of(const Request& request, bool sends) {
    MessageEnd end;
    end.order = request.order;
    end.posted = request.posted;
    end.left = request.left;
    end.wait_begin = end.wait_end = MessageEnd::never;
    end.bytes = sends ? request.bytes : MessageEnd::unknown_bytes;
    end.offset = request.offset;
    end.stream = request.stream;
    if (request.function != Request::no_function) end.function = request.function;
    return end;
}

ProcessEnds::ProcessEnds(const ProcessFacts& facts, MessageEnds& found)
    : facts_(facts),
      found_(found),
      first_key_(found.keys.size()),
      first_collective_(found.collectives.size()) {}

ProcessEnds::Completed& ProcessEnds::completed_by(const CallThread& caller) {
    if (caller.index >= completed_.size()) completed_.resize(caller.index + 1);
    return completed_[caller.index];
}

void ProcessEnds::left(const CallThread& caller, const Return& result) {
    add_blocking(caller, result);
    if (!result.bytes) take_back_sends(caller);
    Completed& completed = completed_by(caller);
    for (MessageEnd& end : completed.ends) {
        // An eager send has ended in the call that posts it.
        if (end.stream != caller.stream || end.offset != caller.call.offset) continue;
        end.left = result.clock;
        if (result.bytes && found_.keys[end.key].side == Side::sends) end.bytes = *result.bytes;
    }
    end_all(completed, result.clock);
}

void ProcessEnds::add_blocking(const CallThread& caller, const Return& result) {
    const Call& call = caller.call;
    const MpiRecord record = call.function->record;
    const Peer from{result.peer, result.tag};
    switch (record) {
        case MpiRecord::Send:
        case MpiRecord::Receive:
        case MpiRecord::Exchange:
        case MpiRecord::MatchedReceive: {
            if (!result.bytes || (record == MpiRecord::MatchedReceive && !result.found)) return;
            MessageEnd end = end_of_blocking(caller, result.clock);
            end.completed_in = caller.stream;
            end.bytes = record == MpiRecord::Exchange ? call.sent : *result.bytes;
            if (record == MpiRecord::Send || record == MpiRecord::Exchange)
                add(Side::sends, call.communicator, {call.peer, call.tag}, end);
            if (record == MpiRecord::Send) return;
            if (result.found) end.order = result.found->order;
            end.bytes = *result.bytes;
            const uint32_t communicator = result.found ? result.found->communicator : call.communicator;
            add_probed(end, communicator, from);
            return add(Side::receives, communicator, from, end);
        }
        case MpiRecord::Probe:
            return add_probe(caller, result);
        case MpiRecord::PersistentCollective:
            return;
        default:
            if (joins_groups(*call.function) && knows_all_members_of(result.object))
                add_blocking_collective(caller, result, result.object, 0);
            else if (call.turn != 0 && result.request == 0)
                add_blocking_collective(caller, result, call.communicator, call.turn);
            else if (is_made_by_some_members(*call.function))
                add_blocking_collective(caller, result, result.object, call.turn);
    }
}

// Ids of communicators between worlds are valid on one side only.
bool ProcessEnds::knows_all_members_of(uint32_t communicator) const {
    const CommunicatorFacts* known = reader().communicators().find(communicator);
    return known && known->id != 0 && (known->flags & OVNI_MPI_BY_USE) == 0;
}

// `communicator`: those who call it are its members. It may be the one that the call makes.
void ProcessEnds::add_blocking_collective(const CallThread& caller, const Return& result,
                                          uint32_t communicator, uint32_t turn) {
    const Call& call = caller.call;
    Request whole;
    whole.stream = caller.stream;
    whole.posted = call.enter;
    whole.left = result.clock;
    whole.offset = call.offset;
    whole.sent = call.sent;
    whole.bytes = result.bytes.value_or(0);
    whole.communicator = communicator;
    whole.root = call.root;
    whole.turn = turn;
    whole.function = index_of(*call.function);
    CollectiveEnd& end = found_.collectives[add_collective(whole)];
    end.wait_begin = end.enter;
    end.wait_end = result.clock;
    end.completed_in = caller.stream;
    end.completed_by = end.function;
}

void ProcessEnds::ended(const CallThread& caller, const Request& request, uint32_t how) {
    if (request.receives && how == OVNI_MPI_FREED) add_uncompleted(request, true);
    if (how != OVNI_MPI_COMPLETED && how != OVNI_MPI_FREED) return;
    if (request.is_collective && request.turn != 0) add_collective_ended(caller, request);
    if (!request.sends) return;
    MessageEnd end = end_of(request, true);
    if (how == OVNI_MPI_COMPLETED) complete_in_call(end, caller);
    add_open(caller, Side::sends, request.communicator, peer_of(request), end);
}

void ProcessEnds::add_collective_ended(const CallThread& caller, const Request& request) {
    const Index index = add_collective(request);
    complete_in_call(found_.collectives[index], caller);
    if (caller.call.function) completed_by(caller).collectives.push_back(index);
}

void ProcessEnds::received(const CallThread& caller, const Request& request, const ReceivedMessage* message) {
    MessageEnd end = end_of(request, false);
    complete_in_call(end, caller);
    Peer peer = peer_of(request);
    if (message) {
        end.bytes = message->bytes.value_or(MessageEnd::unknown_bytes);
        peer.rank = message->peer.value_or(peer.rank);
        peer.tag = message->tag.value_or(peer.tag);
    }
    add_probed(end, request.communicator, peer);
    // The peer of an exchange is that of its send.
    if (!message && request.sends) peer = {OVNI_MPI_ANY, OVNI_MPI_ANY};
    if (peer.rank == OVNI_MPI_ANY || (peer.rank >= 0 && peer.tag == OVNI_MPI_ANY))
        doubtful_.push_back({request.order, request.communicator, peer.rank, peer.tag, false});
    else if (request.is_unrecorded)
        add_unrecorded(Side::receives, request.communicator, peer, end, 1);
    else
        add_open(caller, Side::receives, request.communicator, peer, end);
}

void ProcessEnds::add_probe(const CallThread& caller, const Return& result) {
    const Call& call = caller.call;
    if (result.peer < 0) return;
    probes_[{call.communicator, result.peer, result.tag}] = {call.enter, result.clock, caller.stream,
                                                             index_of(*call.function)};
}

void ProcessEnds::add_probed(const MessageEnd& end, uint32_t communicator, Peer peer) {
    if (probes_.empty()) return;
    const auto found = probes_.find({communicator, peer.rank, peer.tag});
    if (found == probes_.end() || found->second.leave > end.posted) return;
    const Probe& probe = found->second;
    found_.probed.push_back({end.stream, probe.stream, probe.function, end.offset, probe.enter, probe.leave});
    probes_.erase(found);
}

void ProcessEnds::abandoned(const CallThread& caller, int64_t clock, Abandoned why) {
    if (why == Abandoned::by_gap) take_back_sends(caller);
    end_all(completed_by(caller), clock);
}

// A send that ended in the call that posts it counts if that call leaves in order.
void ProcessEnds::take_back_sends(const CallThread& caller) {
    const Call& call = caller.call;
    if (!call.function || call.function->record != MpiRecord::PostedSend) return;
    std::erase_if(completed_by(caller).ends, [&](const MessageEnd& end) {
        return end.stream == caller.stream && end.offset == call.offset && end.unrecorded == 0;
    });
}

// Ends all that the call of the thread has completed, at its leave.
void ProcessEnds::end_all(Completed& completed, int64_t clock) {
    for (MessageEnd& end : completed.ends) {
        end.wait_end = clock;
        found_.ends[end.key].add(end);
    }
    for (const Index end : completed.collectives) found_.collectives[end].wait_end = clock;
    completed.ends.clear();
    completed.collectives.clear();
}

void ProcessEnds::finished() {
    for (size_t t = 0; t < reader().thread_count(); ++t) {
        const CallThread& caller = reader().thread(t);
        const Call& call = caller.call;
        if (!caller.is_cut && call.function && call.function->record == MpiRecord::Send)
            add(Side::sends, call.communicator, {call.peer, call.tag}, end_of_blocking(caller, caller.now));
        end_all(completed_by(caller), caller.now);
    }
    std::vector<const Request*> under_way;
    reader().requests().visit([&](const Request& request) { under_way.push_back(&request); });
    std::ranges::sort(under_way, {}, &Request::number);
    for (const Request* request : under_way) {
        if (request->sends)
            add(Side::sends, request->communicator, peer_of(*request), end_of(*request, true));
        if (request->is_collective && request->turn != 0) add_collective(*request);
        if (request->receives) add_uncompleted(*request, false);
    }
    for (const auto& [number, found] : reader().found()) add_uncompleted(found, false);
    for (size_t key = first_key_; key < found_.ends.size(); ++key)
        found_.ends[key].doubt_from(complete_until_);
    mark_doubtful();
    for (size_t i = first_collective_; i < found_.collectives.size(); ++i)
        found_.collectives[i].behind_gap = found_.collectives[i].enter >= complete_until_;
}

// The receive may still have got a message: it keeps its place among those of its key, if that is known.
void ProcessEnds::add_uncompleted(const Request& request, bool is_freed) {
    MessageEnd end = end_of(request, false);
    if (request.is_found && recorded() == Recorded::but_pauses)
        return add_unrecorded(Side::receives, request.communicator, peer_of(request), end, 1);
    if (request.peer == OVNI_MPI_ANY || request.tag == OVNI_MPI_ANY)
        return doubtful_.push_back(
            {request.order, request.communicator, request.peer, request.tag, is_freed});
    if (is_freed) end.completed_by = MessageEnd::freed;
    add(Side::receives, request.communicator, peer_of(request), end);
}

ProcessEnds::Index ProcessEnds::add_collective(const Request& request) {
    CollectiveEnd end;
    bool is_inter = false;
    if (!identify(request.communicator, end.communicator, end.scope, end.rank, is_inter))
        end.communicator = 0;
    const CommunicatorFacts* known = reader().communicators().find(request.communicator);
    if (request.communicator == OVNI_MPI_WORLD)
        end.size = static_cast<uint32_t>(facts_.world_size);
    else if (request.communicator == OVNI_MPI_SELF)
        end.size = 1;
    else if (known)
        end.size = known->size;
    end.turn = request.turn;
    end.made = request.made;
    end.enter = request.posted;
    end.leave = request.left;
    end.sent = request.sent;
    end.received = request.bytes == Request::unknown_bytes ? 0 : request.bytes;
    end.offset = request.offset;
    end.stream = request.stream;
    end.root = request.root;
    end.function = request.function;
    found_.collectives.push_back(end);
    return found_.collectives.size() - 1;
}

// False if it is unknown which communicator it is.
bool ProcessEnds::identify(uint32_t communicator, uint64_t& id, uint32_t& scope, int& rank,
                           bool& is_inter) const {
    scope = 0;
    is_inter = false;
    if (communicator == OVNI_MPI_SELF) {
        id = OVNI_MPI_SELF;
        scope = facts_.process + 1;
        rank = 0;
        return true;
    }
    if (communicator == OVNI_MPI_WORLD) {
        id = OVNI_MPI_WORLD;
        scope = facts_.world + 1;
        rank = facts_.rank;
        return true;
    }
    if (!knows_all_members_of(communicator)) return false;
    const CommunicatorFacts* known = reader().communicators().find(communicator);
    id = known->id;
    rank = known->rank;
    is_inter = (known->flags & OVNI_MPI_INTER) != 0;
    return true;
}

uint32_t ProcessEnds::key_of(const KeyOfProcess& key) {
    if (last_key_ < found_.keys.size() && found_.keys[last_key_] == key) return last_key_;
    auto [known, is_new] = keys_.try_emplace(key, static_cast<uint32_t>(found_.keys.size()));
    if (is_new) {
        found_.keys.push_back(key);
        found_.ends.emplace_back();
    }
    return last_key_ = known->second;
}

// False unless it is a message between two known processes.
bool ProcessEnds::find_key(MessageEnd& end, Side side, uint32_t communicator, Peer peer) {
    if (peer.rank < 0 || communicator == OVNI_MPI_NO_OBJECT) return false;
    KeyOfProcess key;
    int rank = 0;
    bool is_inter = false;
    if (!identify(communicator, key.key.communicator, key.key.scope, rank, is_inter)) {
        ++found_.without_communicator;
        return false;
    }
    key.key.sender = side == Side::sends ? rank : peer.rank;
    key.key.receiver = side == Side::sends ? peer.rank : rank;
    key.key.tag = peer.tag;
    key.key.made = peer.made;
    key.key.start = peer.start;
    key.process = facts_.process;
    key.side = side;
    key.is_inter = is_inter;
    end.key = key_of(key);
    return true;
}

void ProcessEnds::add(Side side, uint32_t communicator, Peer peer, const MessageEnd& end) {
    MessageEnd added = end;
    if (find_key(added, side, communicator, peer)) found_.ends[added.key].add(added);
}

// The call that completes it is still open.
void ProcessEnds::add_open(const CallThread& caller, Side side, uint32_t communicator, Peer peer,
                           const MessageEnd& end) {
    if (!end.ended_in_call()) return add(side, communicator, peer, end);
    MessageEnd added = end;
    if (find_key(added, side, communicator, peer)) completed_by(caller).ends.push_back(added);
}

}  // namespace ovni
