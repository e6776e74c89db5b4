// The communicators of the process: their numbers in its trace, their members and ids.
//
// All members of a communicator compute one id for it without a message. The id is a hash of the parent
// communicator's id, of the members, and of how many communicators these members have made of that parent
// before. Making a communicator is collective, so all members count alike; MPI_Comm_idup counts when it is
// called. A communicator's counts end with it, and its id is not used again.
//
// If the making of a communicator was not seen, it gets its id at its first use. That happens with a library
// that calls PMPI functions, and with MPI_Comm_idup if `completion` is not selected. Other members may count
// differently, so such a communicator, and all made of it, have the flag OVNI_MPI_BY_USE. Calls that make or
// free communicators are followed even if --mpi-functions leaves them out, and in callbacks inside other
// calls.
//
// A stream describes a communicator before it first names it. Only rank 0 of the communicator records its
// members: when it is made, even if recording is off. If the thread has no running stream then, they are
// recorded at the communicator's next use or end, at the latest in MPI_Finalize. The list occupies memory
// until then.
//
// Some ids are valid on one side only, and are flagged: MPI_Comm_connect, MPI_Comm_accept, MPI_Comm_join and
// MPI_Intercomm_create between worlds, communicators made by MPI_Comm_idup of these, and the parent
// communicator if the parent program was not traced.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <string_view>

#include "mpi/interpose/base/handle_table.hpp"
#include "mpi/interpose/books/objects.hpp"

namespace ovni::mpi {

struct Communicator {
    uint32_t number = 0;
    uint32_t flags = 0;  // OVNI_MPI_INTER and so on
    uint64_t id = 0;
    int32_t rank = 0;  // of this process
    uint32_t size = 0, remote_size = 0;
    int32_t* members = nullptr;              // of both groups; null if this process need not record them
    uint64_t* identities = nullptr;          // of members, if they are of several worlds; null if unknown
    uint32_t in_degree = 0, out_degree = 0;  // neighbours in the topology
    char name[MPI_MAX_OBJECT_NAME] = {};
    Communicator* next_unrecorded = nullptr;
    // Counts of communicators made of this one, for each set of members.
    mutable HandleTable<uint32_t, 4> made;

    bool is_inter() const noexcept { return remote_size != 0; }
    // Number of ranks with which this rank exchanges data in a collective.
    uint32_t peers() const noexcept { return is_inter() ? remote_size : size; }
};

// A communicator as an account of unrecorded.hpp names it: it may have ended by then.
struct CommunicatorPlace {
    uint64_t id = 0;
    uint32_t number = 0, flags = 0;
    int32_t rank = 0;
};

class Members;

// Fills in what MPI knows about the communicator. Call after its number is set.
void learn(Communicator& known, MPI_Comm comm, Members& members) noexcept;
// Writes the event MXC, without members if `members` is null.
void record_facts(Moment& moment, const Communicator& known, const int32_t* members) noexcept;

// Adds MPI_COMM_WORLD, MPI_COMM_SELF and, in a spawned world, the communicator with the parent.
void add_world() noexcept;

// Counts ended handles. If the count has changed, a thread looks up its last communicator again.
inline std::atomic<uint32_t> ended_communicators{1};

// The record of the handle's communicator, described in the stream if it was not yet. Null for MPI_COMM_NULL.
// Valid as long as the communicator.
const Communicator* find_communicator(Moment& moment, MPI_Comm comm) noexcept;
inline const Communicator* communicator(Moment& moment, MPI_Comm comm) noexcept {
    const Thread& thread = moment.thread;
    bool is_last = thread.last_comm == key_of(comm) &&
                   thread.comm_generation == ended_communicators.load(std::memory_order_acquire);
    return is_last ? thread.last_communicator : find_communicator(moment, comm);
}
inline uint32_t communicator_number(Moment& moment, MPI_Comm comm) noexcept {
    const Communicator* known = communicator(moment, comm);
    return known ? known->number : 0;
}

inline CommunicatorPlace place_of(Moment& moment, MPI_Comm comm) noexcept {
    const Communicator* known = communicator(moment, comm);
    return known ? CommunicatorPlace{known->id, known->number, known->flags, known->rank}
                 : CommunicatorPlace{};
}

// The origin of a communicator. `distinction` tells apart communicators that may be made concurrently.
struct Origin {
    uint64_t id = 0;
    uint64_t distinction = 0;
    MPI_Comm comm = {};
    const uint64_t* identities = nullptr;  // of its members, if there are any
    const Communicator* known = nullptr;   // null: MPI_COMM_WORLD
    bool is_copied = false;                // the communicator has the members of the origin
};
// The origin of communicators made of `parent`; MPI_COMM_NULL stands for MPI_COMM_WORLD.
Origin origin_of(Moment& moment, MPI_Comm parent) noexcept;

// Adds a communicator that a call has made, and returns its number; 0 for MPI_COMM_NULL.
uint32_t add_communicator(Moment& moment, MPI_Comm comm, const Origin& origin) noexcept;
// Reserves the id of a communicator with the members of `parent` that appears later.
Expected reserve_id(MPI_Comm parent, const Origin& origin) noexcept;
uint32_t add_communicator(Moment& moment, MPI_Comm comm, const Expected& expected) noexcept;
// Adds the communicator with a world that the process has spawned; its id was passed to that world.
uint32_t add_spawned(Moment& moment, MPI_Comm comm, const Expected& expected) noexcept;
// Takes the communicator out of the table before its handle is freed. Drop it afterwards, or put it back if
// the call failed. Null for MPI_COMM_WORLD and MPI_COMM_SELF, which stay.
Communicator* take_communicator(MPI_Comm comm) noexcept;
void drop_communicator(Communicator* known) noexcept;
void put_back(MPI_Comm comm, Communicator* known) noexcept;

void name_communicator(Moment& moment, MPI_Comm comm, std::string_view name) noexcept;

// record_missing_members() records members that are still missing because this process, rank 0 of their
// communicator, was not recording. record_members_of_ended() does so for ended communicators, and frees
// these.
void record_missing_members(Moment& moment) noexcept;
void record_members_of_ended(Moment& moment) noexcept;

}  // namespace ovni::mpi
