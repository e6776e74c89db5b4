// Records of collectives.
#include "mpi/interpose/base/handle_table.hpp"
#include "mpi/interpose/books/unrecorded.hpp"
#include "mpi/interpose/records/details.hpp"
#include "ovni/mpi_events.h"

namespace ovni::mpi {

namespace {

using Who = CollectiveFlow::Who;
using Blocks = CollectiveFlow::Blocks;

bool takes_part(Who who, const Communicator& comm, int root) noexcept {
    if (who == Who::nobody || who == Who::all) return who == Who::all;
    bool is_root = comm.is_inter() ? root == MPI_ROOT : root == comm.rank;
    return (who == Who::root) == is_root;
}

// In an intercommunicator the root has the one part, the other group the other.
bool is_left_out(Who who, Who opposite, const Communicator& comm, int root) noexcept {
    if (!comm.is_inter()) return false;
    bool rooted = who == Who::root || opposite == Who::root;
    if (!rooted) return false;
    return root == MPI_PROC_NULL || (who == Who::all && root == MPI_ROOT);
}

uint64_t amount(Blocks blocks, const CollectiveSide& side, const Communicator& comm,
                uint32_t peers) noexcept {
    if (blocks == Blocks::one) return side.block(static_cast<uint32_t>(comm.rank));
    return side.blocks(blocks == Blocks::of_group ? comm.size : peers);
}

int root_in_trace(int root) noexcept {
    if (root == MPI_ROOT) return OVNI_MPI_THIS_RANK;
    return peer_in_trace(root);
}

}  // namespace

uint64_t CollectiveSide::block(uint32_t i) const noexcept {
    MPI_Datatype one = types ? types.get(static_cast<int>(i)) : type;
    return bytes_of(counts ? counts[i] : count, one);
}

uint64_t CollectiveSide::blocks(uint32_t n) const noexcept {
    if (!counts) return n * bytes_of(count, type);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n && types; ++i) sum += block(i);
    if (types) return sum;
    int64_t elements = 0;
    for (uint32_t i = 0; i < n; ++i) elements += counts[i];
    return bytes_of(elements, type);
}

CollectiveBytes bytes_of(const CollectiveFlow& flow, const Communicator& comm, int root,
                         const CollectiveSide& sent, const CollectiveSide& received,
                         Language language) noexcept {
    CollectiveBytes bytes;
    uint32_t out = flow.along_topology ? comm.out_degree : comm.peers();
    uint32_t in = flow.along_topology ? comm.in_degree : comm.peers();
    if (takes_part(flow.senders, comm, root) && !is_left_out(flow.senders, flow.receivers, comm, root)) {
        bool in_place = is_in_place(sent.buffer, language);
        bytes.sent = amount(flow.sent, in_place ? received : sent, comm, out);
    }
    if (takes_part(flow.receivers, comm, root) && !is_left_out(flow.receivers, flow.senders, comm, root)) {
        bool in_place = is_in_place(received.buffer, language);
        bytes.received = amount(flow.received, in_place ? sent : received, comm, in);
    }
    return bytes;
}

namespace {

// All members call what has these details.
template <class Details>
Payload enter_together(Moment& moment, Details& call) noexcept {
    const Communicator* known = communicator(moment, call.comm);
    if (known)
        call.bytes = mpi::bytes_of(call.flow, *known, call.root, call.sent, call.received, call.language);
    Payload payload(moment.function);
    payload.add(int32_t{root_in_trace(call.root)});
    payload.add(known ? known->number : uint32_t{OVNI_MPI_NO_OBJECT});
    return payload.add_bytes(call.bytes.sent);
}

void count_unseen(Moment& moment, MPI_Comm comm) noexcept {
    if (is_enter_shown(moment) || !counts(moment)) return;
    const CommunicatorPlace place = place_of(moment, comm);
    add_collective(AccountLock(), place);
}

Payload leave_with(Moment& moment, const CollectiveBytes& bytes, MPI_Request request,
                   Posted& posted) noexcept {
    posted.number = next_request_number();
    post(moment, request, posted);
    Payload payload(moment.function);
    return payload.add_bytes(bytes.received).add(posted.number);
}

}  // namespace

Payload Collective::enter(Moment& moment) noexcept {
    return enter_together(moment, *this);
}

void Collective::entered(Moment& moment) noexcept {
    count_unseen(moment, comm);
}

Payload Collective::leave(Moment& moment) noexcept {
    Posted posted;
    if (newrequest) return leave_with(moment, bytes, newrequest.get(), posted);
    Payload payload(moment.function);
    return payload.add_bytes(bytes.received);
}

Payload PersistentCollective::enter(Moment& moment) noexcept {
    return enter_together(moment, *this);
}

void PersistentCollective::entered(Moment& moment) noexcept {
    count_unseen(moment, comm);
}

Payload PersistentCollective::leave(Moment& moment) noexcept {
    Posted posted;
    posted.kind = PostedKind::collective;
    posted.persistent = true;
    posted.active = false;
    posted.ordinal = count_made(mix(place_of(moment, comm).id));
    return leave_with(moment, bytes, newrequest.get(), posted);
}

}  // namespace ovni::mpi
