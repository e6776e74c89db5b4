#include "mpi/interpose/books/communicators.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "core/label_hash.hpp"
#include "mpi/interpose/base/handle_table.hpp"
#include "mpi/interpose/base/spin_lock.hpp"
#include "mpi/interpose/books/members.hpp"
#include "mpi/interpose/job/spawned.hpp"
#include "mpi/interpose/library/predefined.hpp"
#include "mpi/interpose/streams/recorder.hpp"
#include "ovni/mpi_events.h"

namespace ovni::mpi {

namespace {

SpinLock changing_communicators;
constinit HandleTable<Communicator*> communicators;
// Counts of communicators made of MPI_COMM_WORLD, for each set of members.
constinit decltype(Communicator::made) made_of_world;
// Communicators whose members are still unrecorded; those of them that have ended.
Communicator *unrecorded = nullptr, *ended_unrecorded = nullptr;
uint64_t world_id = OVNI_MPI_WORLD;

// Worlds have ids, too: that of a spawned one is made of the communicator with its parent, or of the name of
// its job.
uint64_t id_of_world(const Birth& birth) noexcept {
    if (birth.parent == comm_null()) return OVNI_MPI_WORLD;
    const char* job = secure_getenv("PMIX_NAMESPACE");
    return birth.id != 0 || !job ? mix(birth.id) : mix(label_hash(job));
}

// Counts end with the communicator of the origin, and its id is not used again.
Expected expected_of(const Members& members, const Origin& origin) noexcept {
    uint64_t key = mix(mix(origin.id, origin.distinction), members.hash());
    bool is_agreed = !origin.known || !(origin.known->flags & OVNI_MPI_BY_USE);
    SpinLock::Guard guard(changing_communicators);
    uint32_t* count = (origin.known ? origin.known->made : made_of_world).insert(key);
    return {mix(key, count ? ++*count : 0), is_agreed, members.is_world()};
}

Communicator* find_known(MPI_Comm comm) noexcept {
    SpinLock::Guard guard(changing_communicators);
    Communicator** found = communicators.find(key_of(comm));
    return found ? *found : nullptr;
}

// Call with `changing` held.
void unlist(Communicator* known) noexcept {
    Communicator** link = &unrecorded;
    while (*link && *link != known) link = &(*link)->next_unrecorded;
    if (*link) *link = known->next_unrecorded;
}

void release(Communicator* known) noexcept {
    free(known->members);
    free(known->identities);
    known->made.clear();
    free(known);
}

// Call with `changing` held. A communicator with unrecorded members is kept until these are recorded.
void drop(Communicator* known) noexcept {
    ended_communicators.fetch_add(1, std::memory_order_release);
    if (!known->members) return release(known);
    unlist(known);
    known->made.clear();
    known->next_unrecorded = ended_unrecorded;
    ended_unrecorded = known;
}

// Returns what the handle means afterwards: `known`, or what another thread has put there meanwhile. A handle
// that was made now has a new meaning.
Communicator* insert(MPI_Comm comm, Communicator* known, bool made_now) noexcept {
    SpinLock::Guard guard(changing_communicators);
    Communicator** place = communicators.insert(key_of(comm));
    if (!place || (*place && !made_now)) {
        release(known);
        return place ? *place : nullptr;
    }
    if (*place) drop(*place);
    *place = known;
    if (known->members) {
        known->next_unrecorded = unrecorded;
        unrecorded = known;
    }
    return known;
}

// Hands over the members to be recorded; null if they are recorded already.
int32_t* take_members(Communicator& known) noexcept {
    SpinLock::Guard guard(changing_communicators);
    if (known.members) unlist(&known);
    return std::exchange(known.members, nullptr);
}

enum class FirstSeen : bool { used, made };

Communicator* add(MPI_Comm comm, uint32_t number, Members& members, const Expected& expected,
                  FirstSeen how) noexcept {
    void* memory = malloc(sizeof(Communicator));
    if (!memory) return nullptr;
    auto* known = new (memory) Communicator;
    known->number = number;
    known->id = expected.id;
    if (how == FirstSeen::used || !expected.is_agreed) known->flags = OVNI_MPI_BY_USE;
    learn(*known, comm, members);
    return insert(comm, known, how == FirstSeen::made);
}

// The members, which are all that a reader has to know beyond, only once.
void describe_with_members(Moment& moment, Communicator& known) noexcept {
    int32_t* members = take_members(known);
    record_facts(moment, known, members);
    free(members);
}

void describe_communicator(Moment& moment, Communicator& known) noexcept {
    if (!is_to_be_described(moment, known.number)) return;
    describe_with_members(moment, known);
    if (known.name[0]) record_name(moment, known.number, known.name);
}

// For a communicator made by a call that the user left out, or made while recording is off: records its
// members at once, because no other call may do so.
void record_unrecorded(Moment& moment, Communicator& known) noexcept {
    if (!known.members || !may_define(moment.thread)) return;
    Moment now{moment.thread, moment.function, true, ovni::stream_now()};
    describe_communicator(now, known);
}

uint32_t add_known(Moment& moment, MPI_Comm comm, Members& members, const Expected& expected) noexcept {
    Communicator* known = add(comm, next_object_number(), members, expected, FirstSeen::made);
    if (!known) return OVNI_MPI_NO_OBJECT;
    record_members_of_ended(moment);
    if (moment.recorded)
        describe_communicator(moment, *known);
    else
        record_unrecorded(moment, *known);
    return known->number;
}

}  // namespace

void add_world() noexcept {
    Birth birth = Birth::of_world();
    uint64_t id = id_of_world(birth);
    Members all(comm_world(), Members::Ranks::of_world), self(comm_self());
    world_id = id;
    add(comm_world(), OVNI_MPI_WORLD, all, {id}, FirstSeen::made);
    add(comm_self(), OVNI_MPI_SELF, self, {mix(id, self.hash())}, FirstSeen::made);
    if (birth.id == 0) return;
    Members both(birth.parent);
    both.identify(birth.id, Members::Side::child);
    add(birth.parent, next_object_number(), both, {birth.id}, FirstSeen::made);
}

const Communicator* find_communicator(Moment& moment, MPI_Comm comm) noexcept {
    if (comm == comm_null() || comm == MPI_Comm()) return nullptr;
    uint32_t ended = ended_communicators.load(std::memory_order_acquire);
    Communicator* known = find_known(comm);
    if (!known) {
        Members members(comm);
        known =
            add(comm, next_object_number(), members, expected_of(members, {world_id, 0}), FirstSeen::used);
        if (!known) return nullptr;
    }
    describe_communicator(moment, *known);
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
    return {known->id, 0, parent, known->identities, known->number == OVNI_MPI_WORLD ? nullptr : known};
}

// The communicator has the members of the origin.
static Members::Ranks ranks_of_copy(const Origin& origin) noexcept {
    bool of_world = origin.comm == comm_world() || (origin.known && origin.known->flags & OVNI_MPI_OF_WORLD);
    return of_world ? Members::Ranks::of_world : Members::Ranks::any;
}

Expected reserve_id(MPI_Comm parent, const Origin& origin) noexcept {
    Members members(parent, ranks_of_copy(origin));
    if (origin.identities) members.identify(origin.comm, origin.identities);
    return expected_of(members, origin);
}

uint32_t add_communicator(Moment& moment, MPI_Comm comm, const Origin& origin) noexcept {
    if (comm == comm_null()) return OVNI_MPI_NO_OBJECT;
    Members members(comm, origin.is_copied ? ranks_of_copy(origin) : Members::Ranks::any);
    if (origin.identities) members.identify(origin.comm, origin.identities);
    return add_known(moment, comm, members, expected_of(members, origin));
}

uint32_t add_communicator(Moment& moment, MPI_Comm comm, const Expected& expected) noexcept {
    if (comm == comm_null()) return OVNI_MPI_NO_OBJECT;
    Members members(comm, expected.is_of_world ? Members::Ranks::of_world : Members::Ranks::any);
    return add_known(moment, comm, members, expected);
}

uint32_t add_spawned(Moment& moment, MPI_Comm comm, const Expected& expected) noexcept {
    if (comm == comm_null()) return OVNI_MPI_NO_OBJECT;
    Members members(comm);
    members.identify(expected.id, Members::Side::parent);
    return add_known(moment, comm, members, expected);
}

Communicator* take_communicator(MPI_Comm comm) noexcept {
    if (comm == comm_world() || comm == comm_self()) return nullptr;
    SpinLock::Guard guard(changing_communicators);
    Communicator** found = communicators.find(key_of(comm));
    Communicator* known = found ? *found : nullptr;
    communicators.erase(key_of(comm));
    ended_communicators.fetch_add(1, std::memory_order_release);
    return known;
}

void drop_communicator(Communicator* known) noexcept {
    SpinLock::Guard guard(changing_communicators);
    if (known) drop(known);
}

void put_back(MPI_Comm comm, Communicator* known) noexcept {
    SpinLock::Guard guard(changing_communicators);
    Communicator** place = known ? communicators.insert(key_of(comm)) : nullptr;
    if (place) *place = known;
}

void name_communicator(Moment& moment, MPI_Comm comm, std::string_view name) noexcept {
    uint32_t number = communicator_number(moment, comm);
    Communicator* known = find_known(comm);
    if (!known) return;
    size_t size = std::min(name.size(), sizeof known->name - 1);
    std::memcpy(known->name, name.data(), size);
    known->name[size] = '\0';
    record_new_name(moment, number, name);
}

void record_members_of_ended(Moment& moment) noexcept {
    auto next = [] {
        SpinLock::Guard guard(changing_communicators);
        Communicator* known = ended_unrecorded;
        if (known) ended_unrecorded = known->next_unrecorded;
        return known;
    };
    while (Communicator* known = moment.recorded ? next() : nullptr) {
        record_facts(moment, *known, known->members);
        release(known);
    }
}

void record_missing_members(Moment& moment) noexcept {
    record_members_of_ended(moment);
    auto next = [] {
        SpinLock::Guard guard(changing_communicators);
        return unrecorded;
    };
    while (Communicator* known = moment.recorded ? next() : nullptr) describe_with_members(moment, *known);
}

}  // namespace ovni::mpi
