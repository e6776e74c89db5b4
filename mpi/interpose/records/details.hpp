// Records of the details of MPI calls, one class per record of scripts/mpi_table.py. A wrapper fills in the
// arguments by their roles; enter() is asked before the call, entered() behind the event of entering, leave()
// after a call that succeeded, fail() after another, miss() behind leave() if not all of the call is in the
// stream: that counts what took effect. They update the tables of `books`, and give the details of
// ovni/mpi_events.h, as payload and in detail events.
#pragma once

#include "mpi/interpose/books/communicators.hpp"
#include "mpi/interpose/books/requests.hpp"
#include "mpi/interpose/library/arguments.hpp"
#include "mpi/interpose/library/predefined.hpp"
#include "mpi/interpose/records/collective_flow.hpp"
#include "mpi/interpose/records/makers.hpp"
#include "mpi/interpose/streams/moment.hpp"
#include "mpi/interpose/streams/payload.hpp"

namespace ovni::mpi {

struct Plain {
    Payload enter(Moment& moment) noexcept { return Payload(moment.function); }
    Payload leave(Moment& moment) noexcept { return Payload(moment.function); }
};

// MPI_Finalize: rank 0 of each communicator records members that are still missing.
struct Finalization {
    // Call instead of enter() if MPI_Finalize itself is not recorded.
    static void record_unrecorded(Function function) noexcept;
    Payload enter(Moment& moment) noexcept;
    Payload leave(Moment& moment) noexcept { return Payload(moment.function); }
};

// Messages: messages.cpp

struct Send {
    int peer, tag;
    MPI_Comm comm;
    int64_t count;
    MPI_Datatype type;
    Payload enter(Moment& moment) noexcept;
    Payload leave(Moment& moment) noexcept;
    void miss(Moment& moment) noexcept;
};

struct PostedSend {
    Send send;
    Requests newrequest;
    uint32_t number = 0;
    Payload enter(Moment& moment) noexcept;
    void entered(Moment& moment) noexcept;
    Payload leave(Moment& moment) noexcept;
    void miss(Moment& moment) noexcept;
};

struct Receive {
    int peer, tag;
    MPI_Comm comm;
    Statuses status;
    Payload enter(Moment& moment) noexcept;
    Payload leave(Moment& moment) noexcept;
    void miss(Moment& moment) noexcept;
};

struct PostedReceive {
    int peer, tag;
    MPI_Comm comm;
    Requests newrequest;
    uint32_t number = 0;
    bool is_shown = false;  // the stream has the enter event
    Payload enter(Moment& moment) noexcept;
    void entered(Moment& moment) noexcept;
    Payload leave(Moment& moment) noexcept;
};

struct Exchange {
    Send send;
    Statuses status;
    Payload enter(Moment& moment) noexcept;
    Payload leave(Moment& moment) noexcept;
    void miss(Moment& moment) noexcept;
};

struct PostedExchange {
    Send send;
    int source, recvtag;
    int64_t recvcount;
    MPI_Datatype recvtype;
    Requests newrequest;
    uint32_t number = 0;
    Payload enter(Moment& moment) noexcept;
    void entered(Moment& moment) noexcept;
    Payload leave(Moment& moment) noexcept;
    void miss(Moment& moment) noexcept;
};

// `flag`: of a probe that may find nothing. `newmessage`: of a probe that takes the message out.
struct Probe {
    int peer, tag;
    MPI_Comm comm;
    Statuses status;
    const int* flag = nullptr;
    Messages newmessage = {};
    Payload enter(Moment& moment) noexcept;
    Payload leave(Moment& moment) noexcept;
    void miss(Moment& moment) noexcept;
};

struct MatchedReceive {
    Messages message;
    Statuses status;
    Payload enter(Moment& moment) noexcept;
    Payload leave(Moment& moment) noexcept;
};

struct PostedMatchedReceive {
    Messages message;
    Requests newrequest;
    uint32_t number = 0;
    Payload enter(Moment& moment) noexcept;
    Payload leave(Moment& moment) noexcept;
};

// Requests: completions.cpp

// `partitions`: those of a partitioned message, else -1.
struct PersistentSend {
    Send send;
    int partitions;
    Requests newrequest;
    Payload enter(Moment& moment) noexcept;
    Payload leave(Moment& moment) noexcept;
};

struct PersistentReceive {
    int peer, tag;
    MPI_Comm comm;
    int64_t count;
    MPI_Datatype type;
    int partitions;
    Requests newrequest;
    Payload enter(Moment& moment) noexcept;
    Payload leave(Moment& moment) noexcept;
};

struct Start {
    int count;
    bool many;
    Requests requests;
    Payload enter(Moment& moment) noexcept;
    void entered(Moment& moment) noexcept;
    Payload leave(Moment& moment) noexcept;
    void miss(Moment& moment) noexcept;
    void fail(Moment& moment, int error) noexcept;
};

using Starts = Start;

struct RequestUse {
    Requests request;
    Posted posted = {};
    MPI_Request handle = {};
    uint32_t how = OVNI_MPI_FREED;
    Payload enter(Moment& moment) noexcept;
    Payload leave(Moment& moment) noexcept;
};

// A request that only the program completes.
struct Request {
    Requests newrequest;
    Payload enter(Moment& moment) noexcept;
    Payload leave(Moment& moment) noexcept;
};

// `flag`: that of a test.
struct Completion {
    Requests request;
    Statuses status;
    const int* flag = nullptr;
    MPI_Request handle = {};
    Posted posted = {};
    Payload enter(Moment& moment) noexcept;
    Payload leave(Moment& moment) noexcept;
    void fail(Moment& moment, int error) noexcept;
};

// Completion of all, any or some of the requests: `index` for any, `outcount` and `indices` for some.
struct Completions {
    int count;
    Requests requests;
    Statuses statuses;
    int first;  // number of the first request, in `index` and `indices`
    const int* flag = nullptr;
    const int* index = nullptr;
    const int* outcount = nullptr;
    const int* indices = nullptr;

    static constexpr int few = 16;
    CallArray<MPI_Request, few> handles = {};
    CallArray<Posted, few> posted = {};  // used if other threads may get the handles again
    bool have_statuses = false;
    uint32_t newest = 0;  // number of the newest request when the call began

    Payload enter(Moment& moment) noexcept;
    Payload leave(Moment& moment) noexcept;
    void fail(Moment& moment, int error) noexcept;

 private:
    Posted book_of(int which) const noexcept;
    void finish(Moment& moment, int which, int status) noexcept;
    void finish_those(Moment& moment, bool some_failed) noexcept;
    int numbered(int number) const noexcept { return number - first; }
};

// Collectives: collectives.cpp

struct Collective {
    const CollectiveFlow& flow;
    MPI_Comm comm;
    int root;
    CollectiveSide sent, received;
    Language language;
    Requests newrequest = {};
    CollectiveBytes bytes = {};
    Payload enter(Moment& moment) noexcept;
    void entered(Moment& moment) noexcept;
    Payload leave(Moment& moment) noexcept;
    // True if the call may return only after all ranks of the world have entered it.
    bool is_blocking_on_world() const noexcept { return !newrequest && comm == comm_world(); }
};

// Makes a request that starts a collective as often as the program wants.
struct PersistentCollective {
    const CollectiveFlow& flow;
    MPI_Comm comm;
    int root;
    CollectiveSide sent, received;
    Language language;
    Requests newrequest = {};
    CollectiveBytes bytes = {};
    Payload enter(Moment& moment) noexcept;
    void entered(Moment& moment) noexcept;
    Payload leave(Moment& moment) noexcept;
};

// One-sided operations and I/O: transfers.cpp

struct OneSided {
    int target;
    MPI_Win win;
    int64_t count;
    MPI_Datatype type;
    bool gives, takes;
    MPI_Op op;
    Requests newrequest = {};
    Payload enter(Moment& moment) noexcept;
    Payload leave(Moment& moment) noexcept;
};

struct Synchronisation {
    int target;
    MPI_Win win;
    Payload enter(Moment& moment) noexcept;
    void entered(Moment& moment) noexcept;
    Payload leave(Moment& moment) noexcept { return Payload(moment.function); }
};

struct Transfer {
    MPI_File file;
    int64_t count;
    MPI_Datatype type;
    Statuses status = {};
    Requests newrequest = {};
    bool has_status = false;
    Payload enter(Moment& moment) noexcept;
    Payload leave(Moment& moment) noexcept;
};

struct FileUse {
    MPI_File file;
    Payload enter(Moment& moment) noexcept;
    Payload leave(Moment& moment) noexcept { return Payload(moment.function); }
};

}  // namespace ovni::mpi
