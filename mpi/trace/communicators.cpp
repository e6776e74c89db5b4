#include "mpi/trace/communicators.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "core/label_hash.hpp"
#include "mpi/trace/handle_table.hpp"
#include "mpi/trace/members.hpp"
#include "mpi/trace/predefined.hpp"
#include "mpi/trace/spawned.hpp"
#include "mpi/trace/spin_lock.hpp"
#include "ovni/mpi_events.h"

namespace ovni::mpi {

namespace {

SpinLock changing;
constinit HandleTable<Communicator*> communicators;
// How many communicators the same members have made of the same origin.
constinit HandleTable<uint32_t> made_before;
Communicator* untold = nullptr;
uint64_t world_id = OVNI_MPI_WORLD;

// Worlds have ids, too: that of a spawned one is made of the communicator with its parent, or of the name of
// its job.
uint64_t id_of_world(const Birth& birth) noexcept {
    if (birth.parent == comm_null()) return OVNI_MPI_WORLD;
    const char* job = getenv("PMIX_NAMESPACE");
    return birth.id != 0 || !job ? mix(birth.id) : mix(label_hash(job));
}

uint64_t id_of(const Members& members, const Origin& origin) noexcept {
    uint64_t key = mix(mix(origin.id, origin.distinction), members.hash());
    SpinLock::Guard guard(changing);
    uint32_t* count = made_before.insert(key);
    return mix(key, count ? ++*count : 0);
}

Communicator* find(MPI_Comm comm) noexcept {
    SpinLock::Guard guard(changing);
    Communicator** found = communicators.find(key_of(comm));
    return found ? *found : nullptr;
}

// With the lock. One with members to tell is needed until then.
void drop(Communicator* known) noexcept {
    ended_communicators.fetch_add(1, std::memory_order_release);
    free(known->identities);
    known->identities = nullptr;
    if (!known->members) free(known);
}

// What stands for the handle afterwards: `known`, or what another thread has met meanwhile. A handle that was
// made now has a new meaning.
Communicator* insert(MPI_Comm comm, Communicator* known, bool made_now) noexcept {
    SpinLock::Guard guard(changing);
    Communicator** place = communicators.insert(key_of(comm));
    if (!place || (*place && !made_now)) {
        free(known->members);
        free(known->identities);
        free(known);
        return place ? *place : nullptr;
    }
    if (*place) drop(*place);
    *place = known;
    if (known->members) {
        known->next_untold = untold;
        untold = known;
    }
    return known;
}

// Its members, for whoever tells them; null where that has been done.
int32_t* take_members(Communicator& known) noexcept {
    SpinLock::Guard guard(changing);
    Communicator** link = &untold;
    while (*link && *link != &known) link = &(*link)->next_untold;
    if (*link) *link = known.next_untold;
    int32_t* members = known.members;
    known.members = nullptr;
    return members;
}

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
    bool is_agreed = members.identities() || !members.is_foreign();
    return is_agreed ? flags : flags | OVNI_MPI_FOREIGN;
}

enum class Met : bool { used, made };

Communicator* meet(MPI_Comm comm, uint32_t number, Members& members, uint64_t id, Met how) noexcept {
    void* memory = malloc(sizeof(Communicator));
    if (!memory) return nullptr;
    auto* known = new (memory) Communicator;
    known->number = number;
    known->id = id;
    known->flags = flags_of(members);
    known->size = members.size();
    known->remote_size = members.remote_size();
    OVNI_KNOWN_PMPI(Comm_rank)(comm, &known->rank);
    known->identities = members.release_identities();
    find_degrees(comm, *known);
    bool listed = known->rank == 0 && number > OVNI_MPI_SELF && !(known->flags & OVNI_MPI_OF_WORLD);
    if (listed) known->members = members.release();
    return insert(comm, known, how == Met::made);
}

void tell_part(Moment& moment, const Communicator& known, const int32_t* members, uint32_t first,
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
    tell(moment, OVNI_MPI_COMMUNICATOR, fixed, {bytes, count * sizeof(int32_t)});
}

// The members, which are all that a reader has to know beyond, only once.
void tell_whole(Moment& moment, Communicator& known) noexcept {
    constexpr uint32_t most = 1024;
    int32_t* members = take_members(known);
    uint32_t all = members ? known.size + known.remote_size : 0, first = 0;
    do {
        uint32_t count = std::min(all - first, most);
        tell_part(moment, known, members, first, count);
        first += count;
    } while (first < all);
    free(members);
}

void tell_communicator(Moment& moment, Communicator& known) noexcept {
    if (!is_to_be_told(moment, known.number)) return;
    tell_whole(moment, known);
    if (known.name[0]) tell_name(moment, known.number, known.name);
}

uint32_t add(Moment& moment, MPI_Comm comm, Members& members, uint64_t id) noexcept {
    Communicator* known = meet(comm, next_object_number(), members, id, Met::made);
    if (!known) return OVNI_MPI_NO_OBJECT;
    tell_communicator(moment, *known);
    return known->number;
}

}  // namespace

void meet_world() noexcept {
    Birth birth = Birth::of_world();
    uint64_t id = id_of_world(birth);
    Members all(comm_world()), self(comm_self());
    world_id = id;
    meet(comm_world(), OVNI_MPI_WORLD, all, id, Met::made);
    meet(comm_self(), OVNI_MPI_SELF, self, mix(id, self.hash()), Met::made);
    if (birth.id == 0) return;
    Members both(birth.parent);
    both.identify(birth.id, Members::Side::child);
    meet(birth.parent, next_object_number(), both, birth.id, Met::made);
}

const Communicator* find_communicator(Moment& moment, MPI_Comm comm) noexcept {
    if (comm == comm_null() || comm == MPI_Comm()) return nullptr;
    uint32_t ended = ended_communicators.load(std::memory_order_acquire);
    Communicator* known = find(comm);
    if (!known) {
        Members members(comm);
        known = meet(comm, next_object_number(), members, id_of(members, {world_id, 0}), Met::used);
        if (!known) return nullptr;
    }
    tell_communicator(moment, *known);
    if (moment.recorded) {
        moment.thread.last_comm = key_of(comm);
        moment.thread.last_communicator = known;
        moment.thread.comm_generation = ended;
    }
    return known;
}

Origin origin_of(Moment& moment, MPI_Comm parent) noexcept {
    const Communicator* known = communicator(moment, parent);
    if (!known) return {world_id, 0};
    return {known->id, 0, parent, known->identities};
}

uint64_t reserve_id(MPI_Comm parent, const Origin& origin) noexcept {
    Members members(parent);
    if (origin.identities) members.identify(origin.comm, origin.identities);
    return id_of(members, origin);
}

uint32_t add_communicator(Moment& moment, MPI_Comm comm, const Origin& origin) noexcept {
    if (comm == comm_null()) return OVNI_MPI_NO_OBJECT;
    Members members(comm);
    if (origin.identities) members.identify(origin.comm, origin.identities);
    return add(moment, comm, members, id_of(members, origin));
}

uint32_t add_communicator(Moment& moment, MPI_Comm comm, uint64_t id) noexcept {
    if (comm == comm_null()) return OVNI_MPI_NO_OBJECT;
    Members members(comm);
    return add(moment, comm, members, id);
}

uint32_t add_spawned(Moment& moment, MPI_Comm comm, uint64_t id) noexcept {
    if (comm == comm_null()) return OVNI_MPI_NO_OBJECT;
    Members members(comm);
    members.identify(id, Members::Side::parent);
    return add(moment, comm, members, id);
}

Communicator* take_communicator(MPI_Comm comm) noexcept {
    if (comm == comm_world() || comm == comm_self()) return nullptr;
    SpinLock::Guard guard(changing);
    Communicator** found = communicators.find(key_of(comm));
    Communicator* known = found ? *found : nullptr;
    communicators.erase(key_of(comm));
    ended_communicators.fetch_add(1, std::memory_order_release);
    return known;
}

void drop_communicator(Communicator* known) noexcept {
    SpinLock::Guard guard(changing);
    if (known) drop(known);
}

void put_back(MPI_Comm comm, Communicator* known) noexcept {
    SpinLock::Guard guard(changing);
    Communicator** place = known ? communicators.insert(key_of(comm)) : nullptr;
    if (place) *place = known;
}

void name_communicator(Moment& moment, MPI_Comm comm, std::string_view name) noexcept {
    uint32_t number = communicator_number(moment, comm);
    Communicator* known = find(comm);
    if (!known) return;
    size_t size = std::min(name.size(), sizeof known->name - 1);
    std::memcpy(known->name, name.data(), size);
    known->name[size] = '\0';
    tell_new_name(moment, number, name);
}

void tell_members(Moment& moment) noexcept {
    auto next = [] {
        SpinLock::Guard guard(changing);
        return untold;
    };
    while (Communicator* known = moment.recorded ? next() : nullptr) tell_whole(moment, *known);
}

}  // namespace ovni::mpi
