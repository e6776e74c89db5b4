// The facts of a communicator: what MPI knows of it, and the events that record that.
#include <algorithm>
#include <cstring>

#include "mpi/interpose/books/communicators.hpp"
#include "mpi/interpose/books/members.hpp"
#include "mpi/interpose/library/predefined.hpp"
#include "ovni/mpi_events.h"

namespace ovni::mpi {

namespace {

// Neighbours that data goes to and comes from in collectives of the topology.
void find_degrees(MPI_Comm comm, Communicator& known) noexcept {
    int topology = MPI_UNDEFINED, in = 0, out = 0, weighted = 0;
    if (!known.is_inter()) OVNI_KNOWN_PMPI(Topo_test)(comm, &topology);
    if (topology == MPI_CART) {
        OVNI_KNOWN_PMPI(Cartdim_get)(comm, &in);
        out = in *= 2;
    } else if (topology == MPI_GRAPH) {
        OVNI_KNOWN_PMPI(Graph_neighbors_count)(comm, known.rank, &in);
        out = in;
    } else if (topology == MPI_DIST_GRAPH) {
        OVNI_KNOWN_PMPI(Dist_graph_neighbors_count)(comm, &in, &out, &weighted);
    }
    known.in_degree = static_cast<uint32_t>(in);
    known.out_degree = static_cast<uint32_t>(out);
}

uint32_t flags_of(const Members& members) noexcept {
    uint32_t flags = members.remote_size() != 0 ? OVNI_MPI_INTER : 0;
    if (members.is_world()) flags |= OVNI_MPI_OF_WORLD;
    bool is_known = members.identities() || !members.is_foreign();
    return is_known ? flags : flags | OVNI_MPI_FOREIGN;
}

void record_part(Moment& moment, const Communicator& known, const int32_t* members, uint32_t first,
                 uint32_t count) noexcept {
    uint8_t fixed[8 * sizeof(uint32_t)];
    uint32_t flags = known.flags | (count > 0 ? OVNI_MPI_MEMBERS : 0);
    uint8_t* at = fixed;
    auto put = [&](auto value) {
        std::memcpy(at, &value, sizeof value);
        at += sizeof value;
    };
    put(known.number), put(flags), put(known.id), put(known.rank), put(known.size), put(known.remote_size);
    put(first);
    auto* bytes = count > 0 ? reinterpret_cast<const uint8_t*>(members + first) : nullptr;
    record_jumbo(moment, OVNI_MPI_COMMUNICATOR, fixed, {bytes, count * sizeof(int32_t)});
}

}  // namespace

void learn(Communicator& known, MPI_Comm comm, Members& members) noexcept {
    known.flags |= flags_of(members);
    known.size = members.size();
    known.remote_size = members.remote_size();
    OVNI_KNOWN_PMPI(Comm_rank)(comm, &known.rank);
    known.identities = members.release_identities();
    find_degrees(comm, known);
    bool listed = known.rank == 0 && known.number > OVNI_MPI_SELF && !(known.flags & OVNI_MPI_OF_WORLD);
    if (listed) known.members = members.release();
}

void record_facts(Moment& moment, const Communicator& known, const int32_t* members) noexcept {
    constexpr uint32_t most = 1024;
    uint32_t all = members ? known.size + known.remote_size : 0, first = 0;
    do {
        uint32_t count = std::min(all - first, most);
        record_part(moment, known, members, first, count);
        first += count;
    } while (first < all);
}

}  // namespace ovni::mpi
