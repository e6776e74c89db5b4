// The communicators of the process: their numbers in its trace, their members and ids.
//
// All members of a communicator know it by one id, without a message: a hash of the id of the communicator
// that it was made of, of its members, and of how many these members have made of that one before. Making a
// communicator is collective, so all members count alike; MPI_Comm_idup counts when it is called. The counts
// end with the communicator that they belong to, and its id is not used again.
//
// A communicator whose making was not seen (by a library that calls PMPI functions; by MPI_Comm_idup without
// `completion` among the functions) gets its id at its first use. Other members may count differently, so it,
// and what is made of it, has the flag OVNI_MPI_BY_USE. Makers and ends of communicators are followed even if
// --mpi-functions leaves them out, and in callbacks inside other calls.
//
// A stream describes a communicator before it first names it. Its members are recorded by its rank 0 only,
// when it is made, also while recording is off; if the thread has no running stream, at its next use or end,
// at the latest in MPI_Finalize. The list costs memory until then.
//
// Ids hold on one side only, and are flagged, for: MPI_Comm_connect, MPI_Comm_accept and MPI_Comm_join
// between worlds, MPI_Intercomm_create between two worlds, what is made of MPI_Comm_idup of such a
// communicator, and the parent of a program whose parent was not traced.
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
    int32_t rank = 0;  // that of this process
    uint32_t size = 0, remote_size = 0;
    int32_t* members = nullptr;              // of both groups; null if this process need not record them
    uint64_t* identities = nullptr;          // of members of several worlds, if known
    uint32_t in_degree = 0, out_degree = 0;  // neighbours in the topology
    char name[MPI_MAX_OBJECT_NAME] = {};
    Communicator* next_untold = nullptr;
    // Counts of communicators made of this one, for each set of members.
    mutable HandleTable<uint32_t, 4> made;

    bool is_inter() const noexcept { return remote_size != 0; }
    // Ranks that a collective talks to.
    uint32_t peers() const noexcept { return is_inter() ? remote_size : size; }
};

// A communicator as an account of unrecorded.hpp names it: it may have ended by then.
struct CommunicatorPlace {
    uint64_t id = 0;
    uint32_t number = 0, flags = 0;
    int32_t rank = 0;
};

class Members;

// Fills in all that MPI knows of the communicator. Call after its number is set.
void learn(Communicator& known, MPI_Comm comm, Members& members) noexcept;
// Writes the event MXC; without members if they are null.
void tell_facts(Moment& moment, const Communicator& known, const int32_t* members) noexcept;

// Makes MPI_COMM_WORLD and MPI_COMM_SELF known.
void meet_world() noexcept;

// Counts handles that ended: a thread that remembers a communicator from before has to look again.
inline std::atomic<uint32_t> ended_communicators{1};

// The known communicator of the handle, described to the stream if need be; null for MPI_COMM_NULL. Lives as
// long as the communicator.
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

// The origin of a communicator. `distinction` differs for communicators that may be made at one time.
struct Origin {
    uint64_t id = 0;
    uint64_t distinction = 0;
    MPI_Comm comm = {};
    const uint64_t* identities = nullptr;  // those of its members, if there are any
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
// Takes the communicator out before its handle ends. Drop it afterwards, or put it back if the handle did not
// end. Null for MPI_COMM_WORLD and MPI_COMM_SELF, which stay.
Communicator* take_communicator(MPI_Comm comm) noexcept;
void drop_communicator(Communicator* known) noexcept;
void put_back(MPI_Comm comm, Communicator* known) noexcept;

void name_communicator(Moment& moment, MPI_Comm comm, std::string_view name) noexcept;

// tell_members() records the members of communicators that are still unrecorded, because their rank 0, this
// process, was not recording. tell_ended() does so for communicators that have ended, and forgets these.
void tell_members(Moment& moment) noexcept;
void tell_ended(Moment& moment) noexcept;

}  // namespace ovni::mpi
