// ProcessMessages: what it has found, as ends with their keys.
#include <algorithm>

#include "messages/calls/mpi_functions.hpp"
#include "messages/calls/process_messages.hpp"
#include "ovni/mpi_events.h"

namespace ovni {

namespace {

using Side = KeyOfProcess::Side;

}  // namespace

// The end that a blocking call makes itself.
MessageEnd ProcessMessages::end_of(const Call& call, uint32_t stream, int64_t leave) {
    MessageEnd end;
    end.order = end.posted = end.wait_begin = call.enter;
    end.left = end.wait_end = leave;
    end.offset = call.offset;
    end.stream = stream;
    end.function = end.completed_by = index_of(*call.function);
    return end;
}

MessageEnd ProcessMessages::end_of(const Request& request, bool sends) {
    MessageEnd end;
    end.order = request.order;
    end.posted = request.call.enter;
    end.left = request.left;
    end.wait_begin = end.wait_end = MessageEnd::never;
    end.bytes = sends ? request.bytes : MessageEnd::unknown_bytes;
    end.offset = request.call.offset;
    end.stream = request.stream;
    if (request.call.function) end.function = index_of(*request.call.function);
    return end;
}

// The receive may have got a message all the same: it keeps its place among those of its key, if that is
// known.
void ProcessMessages::add_uncompleted(const Request& request) {
    if (request.is_found && recorded() == Recorded::but_pauses)
        return add_unrecorded(Side::receives, request.call.communicator, peer_of(request.call),
                              end_of(request, false), 1);
    if (request.call.peer == OVNI_MPI_ANY || request.call.tag == OVNI_MPI_ANY) return doubt(request);
    MessageEnd end = end_of(request, false);
    if (request.is_freed) end.completed_by = MessageEnd::freed;
    add(Side::receives, request.call.communicator, peer_of(request.call), end);
}

void ProcessMessages::add_freed(Request request) {
    request.is_freed = true;
    add_uncompleted(request);
}

// False if nothing tells which communicator it is.
bool ProcessMessages::identify(uint32_t communicator, uint64_t& id, uint32_t& scope, int& rank,
                               bool& is_inter) const {
    scope = 0;
    is_inter = false;
    if (communicator == OVNI_MPI_SELF) {
        id = OVNI_MPI_SELF;
        scope = facts_.process + 1;
        rank = 0;
        return true;
    }
    const CommunicatorFacts* known = communicators_.find(communicator);
    if (communicator == OVNI_MPI_WORLD) {
        id = OVNI_MPI_WORLD;
        scope = facts_.world + 1;
        rank = facts_.rank;
        return true;
    }
    if (!known || known->id == 0 || (known->flags & OVNI_MPI_BY_USE)) return false;
    id = known->id;
    rank = known->rank;
    is_inter = (known->flags & OVNI_MPI_INTER) != 0;
    return true;
}

uint32_t ProcessMessages::key_of(const KeyOfProcess& key) {
    if (last_key_ < found_.keys.size() && found_.keys[last_key_] == key) return last_key_;
    auto [known, is_new] = keys_.try_emplace(key, static_cast<uint32_t>(found_.keys.size()));
    if (is_new) {
        found_.keys.push_back(key);
        found_.ends.emplace_back();
    }
    return last_key_ = known->second;
}

// False for what is no message between two processes that are known.
bool ProcessMessages::find_key(MessageEnd& end, Side side, uint32_t communicator, Peer peer) {
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

void ProcessMessages::add(Side side, uint32_t communicator, Peer peer, const MessageEnd& end) {
    MessageEnd added = end;
    if (find_key(added, side, communicator, peer)) found_.ends[added.key].add(added);
}

// The call that completes it is still open.
void ProcessMessages::add_open(Thread& thread, Side side, uint32_t communicator, Peer peer,
                               const MessageEnd& end) {
    if (!end.ended_in_call()) return add(side, communicator, peer, end);
    MessageEnd added = end;
    if (find_key(added, side, communicator, peer)) thread.ends.push_back(added);
}

// All that the call of the thread completes ended at its leave.
void ProcessMessages::end_all(Thread& thread, int64_t clock) {
    for (MessageEnd& end : thread.ends) {
        end.wait_end = clock;
        found_.ends[end.key].add(end);
    }
    for (Index end : thread.collectives) found_.collectives[end].wait_end = clock;
    thread.ends.clear();
    thread.collectives.clear();
}

ProcessMessages::Index ProcessMessages::add_collective(const Request& request) {
    const Call& call = request.call;
    CollectiveEnd end;
    bool is_inter = false;
    if (!identify(call.communicator, end.communicator, end.scope, end.rank, is_inter)) end.communicator = 0;
    const CommunicatorFacts* known = communicators_.find(call.communicator);
    if (call.communicator == OVNI_MPI_WORLD)
        end.size = static_cast<uint32_t>(facts_.world_size);
    else if (call.communicator == OVNI_MPI_SELF)
        end.size = 1;
    else if (known)
        end.size = known->size;
    end.turn = call.turn;
    end.made = call.made;
    end.enter = call.enter;
    end.leave = request.left;
    end.sent = call.sent;
    end.received = request.bytes == MessageEnd::unknown_bytes ? 0 : request.bytes;
    end.offset = call.offset;
    end.stream = request.stream;
    end.root = call.root;
    end.function = index_of(*call.function);
    found_.collectives.push_back(end);
    return found_.collectives.size() - 1;
}

}  // namespace ovni
