// Calls of MPI that have not ended when their streams end, with what they wait for: of a program that was
// killed, or is running still. Reads the streams of one process, in any order. Memory follows what exists at
// a time: requests that are under way, and communicators.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "messages/calls/process_communicators.hpp"
#include "model/mpi_event.hpp"
#include "ovni/mpi_events.h"
#include "trace/stream_reader.hpp"

namespace ovni {

enum class AwaitedKind : uint8_t { send, receive, collective };

// A message or a collective that a call waits for. Peers are ranks in the communicator; see OVNI_MPI_ANY and
// what else ovni/mpi_events.h says.
struct Awaited {
    AwaitedKind kind = AwaitedKind::collective;
    int32_t peer = OVNI_MPI_ANY, tag = OVNI_MPI_ANY;
    uint64_t communicator = 0;  // id; 0: unknown
    uint64_t turn = 0;          // a collective: the how manieth of its process on that communicator
    uint32_t function = 0;      // that began it, in mpi_function_rows
};

struct OpenCall {
    uint32_t stream = 0;
    uint32_t function = 0;           // in mpi_function_rows
    int64_t since = 0, until = 0;    // by the clock of the reader
    std::vector<Awaited> waits_for;  // nothing if the trace does not tell
    bool needs_all = true;           // false: one of these is enough
};

class ProcessCalls {
 public:
    // Reads a stream to its end. Throws Error as the reader does.
    void read(uint32_t stream, StreamReader& reader);
    // Call after the last stream.
    std::vector<OpenCall> open() const;

    // How many collectives the process has entered on that communicator.
    uint64_t turns(uint64_t communicator) const;
    // It has no members and no name if nothing tells of it.
    CommunicatorFacts communicator(uint64_t id) const { return communicators_.with_id(id); }
    // False if some collectives are not recorded, or threads have begun them in an order that nobody knows.
    bool has_all_turns() const { return !lacks_events_ && streams_with_collectives_ <= 1; }
    // The process has entered MPI_Finalize.
    bool is_finalizing() const { return is_finalizing_; }

 private:
    struct Request {
        Awaited operation;
        uint32_t communicator = 0;  // number in the process
        int32_t under_way = 0;      // starts - ends: other streams may tell of the end first
    };
    // An open call while its stream is read.
    struct Call {
        const MpiFunctionRow* function = nullptr;
        int64_t since = 0;
        uint32_t communicator = 0, request = 0;
        int32_t peer = OVNI_MPI_ANY, tag = OVNI_MPI_ANY;
    };

    void enter(Call& call, const MpiEvent& event, int64_t clock);
    void post(const Call& call);
    void leave(const Call& call, const MpiEvent& event);
    void start(uint32_t request, AwaitedKind kind, const Call& from);
    void add_awaited(OpenCall& open, const Call& call) const;

    struct Unended {
        uint32_t stream;
        Call call;
        int64_t until;
    };
    std::vector<Unended> unended_;
    std::map<uint32_t, Request> requests_;  // under way, by number
    std::map<uint32_t, uint64_t> turns_;    // by number of the communicator
    ProcessCommunicators communicators_;
    bool is_finalizing_ = false, lacks_events_ = false;
    size_t streams_with_collectives_ = 0;
};

}  // namespace ovni
