// Reads the events of MPI of one process, in order of time, and finds its ends of messages and its parts in
// collectives. Memory: what it finds, and what is under way.
//
// A missing end would shift all that follow it. In a pause the process counts its ends, which are added as
// unrecorded ones. Behind any other gap, or behind a receive that was under way in it, ends are marked, and
// so are those that a receive from anybody may have come before which was not seen to end.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "messages/calls/message_ends.hpp"
#include "messages/calls/object_calls.hpp"
#include "messages/calls/packed_ends.hpp"
#include "messages/calls/process_communicators.hpp"
#include "model/mpi_details.hpp"
#include "model/mpi_event.hpp"
#include "trace/event_view.hpp"

namespace ovni {

struct ProcessFacts {
    uint32_t process = 0;  // in System
    uint32_t world = 0;    // in worlds()
    int rank = 0;          // there
    int world_size = 0;
};

// A key and the side that its process is on.
struct KeyOfProcess {
    enum class Side : uint32_t { sends, receives };
    MessageKey key;
    uint32_t process = 0;
    Side side = Side::sends;
    uint32_t is_inter = 0;  // key.group is still to be found
    auto operator<=>(const KeyOfProcess&) const = default;
};

// A thread entered or left a region of MPI_Pcontrol, which may be open in itself.
struct RegionChange {
    enum class What : uint32_t { open, close };
    int64_t time = 0;
    int64_t region = 0;  // its value
    uint32_t stream = 0;
    What what = What::open;
};

// The time in which a process used MPI, and the calls of the thread that initialised it.
struct ProcessTimes {
    struct Call {
        int64_t enter = 0, leave = 0;
        uint32_t function = 0;  // in mpi_function_rows
        uint32_t request = 0;   // that it is for; 0: none, or many
    };
    uint32_t process = 0, stream = 0;
    int64_t begin = 0, end = 0;  // MPI_Init ends, MPI_Finalize or the trace begins or ends
    std::vector<Call> calls;     // between these, of the thread that called MPI_Init
};

// The records of several processes, put together.
struct MessageEnds {
    std::vector<KeyOfProcess> keys;
    std::vector<PackedEnds> ends;  // by key
    std::vector<CollectiveEnd> collectives;
    // MPI_Init, with turn 1, and MPI_Finalize, with turn 2: calls of all ranks of a world. A call behind a
    // gap was entered in it, before the time that its enter says.
    std::vector<CollectiveEnd> world_calls;
    // Receives of any sender or tag that were freed, as sender and tag OVNI_MPI_ANY: each process tells of
    // one kind once.
    std::vector<KeyOfProcess> freed;
    std::vector<RegionChange> regions;  // of the threads that initialised MPI
    std::vector<ProcessTimes> times;
    FoundObjects objects;
    uint64_t without_communicator = 0;  // ends of messages on communicators that nothing describes
};

class ProcessMessages {
 public:
    // `found` gets the ends, and lives as long as this.
    ProcessMessages(const ProcessFacts& facts, MessageEnds& found);

    // How much of the process its streams tell.
    enum class Recorded : uint64_t { all, but_pauses, but_gaps };

    // The trace lacks what came before the first event.
    void begin_inside() {
        complete_until_ = uninterrupted_until_ = INT64_MIN;
        has_lost_ = true;
    }
    // The streams tell what pauses leave out.
    void expect_account() { has_account_ = true; }
    void take(const EventView& event);
    // Adds what is still under way. Call after the last event.
    void finish();
    const ProcessCommunicators& communicators() const { return communicators_; }
    Recorded recorded() const;
    // There are gaps with events behind them, not only ends of streams that come too early.
    bool has_lost() const { return has_lost_; }
    // Nothing can be missing behind the last event.
    bool is_finalized() const { return is_finalizing_; }

 private:
    using Index = size_t;  // in found_.collectives
    struct Call {
        const MpiFunctionRow* function = nullptr;
        int64_t enter = 0;
        uint64_t offset = 0;
        uint32_t communicator = 0, request = 0;
        int32_t peer = 0, tag = 0, root = 0;
        uint64_t sent = 0;  // by a collective, or the half of an exchange
        uint32_t turn = 0, made = 0;
    };
    struct Counted {
        uint32_t request = 0, start = 0, made = 0;
    };
    struct Thread {
        Call call;
        Counted counted;                         // what MXg has just told
        uint32_t started = 0;                    // the request that MXs has just started
        uint32_t ended = 0;                      // the receive that MXc has just ended
        std::vector<MessageEnd> ends;            // that the call completes
        std::vector<Index> collectives;          // the same
        std::vector<uint32_t> started_requests;  // by this call
        int64_t now = 0;
        int64_t resumed_at =
            INT64_MIN;  // the end of the last gap, where its stream shows the call that is open
    };
    // A message or a collective that was begun, by its request. An exchange has both halves.
    struct Request {
        bool sends = false, receives = false, is_collective = false;
        Call call;
        uint32_t stream = 0;
        int64_t order = 0, left = 0;
        uint64_t bytes = MessageEnd::unknown_bytes;
        bool unrecorded = false;  // the call that posts it
        bool is_found = false;    // a probe has found the message of the receive
        bool is_freed = false;
    };

    void enter(Thread& thread, uint32_t stream, const EventView& event, const MpiEvent& mpi);
    void leave(Thread& thread, uint32_t stream, const EventView& event, const MpiEvent& mpi);
    void post(Thread& thread, uint32_t stream);
    void leave_posting(Thread& thread, const MpiEvent& mpi, int64_t clock);
    void leave_collective(Thread& thread, uint32_t stream, const MpiEvent& mpi, int64_t clock);
    void leave_world_call(const Thread& thread, uint32_t stream, int64_t clock);
    void start_collective(Thread& thread, const EventView& event, const MpiEvent& mpi);
    void start(Thread& thread, uint32_t stream, const EventView& event, const MpiEvent& mpi, bool sends);
    void end_request(Thread& thread, uint32_t stream, uint32_t request, uint32_t how);
    void receive_ended(Thread& thread, uint32_t stream, const MpiEvent* message);
    template <class End>
    static void complete_in_call(End& end, const Thread& thread, uint32_t stream);
    void forget_call(Thread& thread, uint32_t stream, int64_t clock);
    void meet_gap(int64_t clock);
    void take_jumbo(const EventView& event);
    void count_unrecorded(const EventView& event, const MpiUnrecorded& unrecorded);
    void meet_under_way(const EventView& event, const MpiUnderWay& receive);
    void end_unrecorded(const MpiUnrecordedEnd& end);
    void take_back_sends(Thread& thread, uint32_t stream);
    void follow_call(uint32_t stream, const Call& call, int64_t leave);
    void change_region(const EventView& event);

    struct Peer {
        int32_t rank, tag;
        uint32_t made = 0, start = 0;
    };
    static Peer peer_of(const Call& call) { return {call.peer, call.tag, call.made, call.turn}; }
    bool find_key(MessageEnd& end, KeyOfProcess::Side side, uint32_t communicator, Peer peer);
    void add(KeyOfProcess::Side side, uint32_t communicator, Peer peer, const MessageEnd& end);
    void add_open(Thread& thread, KeyOfProcess::Side side, uint32_t communicator, Peer peer,
                  const MessageEnd& end);
    void end_all(Thread& thread, int64_t clock);
    void add_uncompleted(const Request& request);
    void add_freed(Request request);
    void add_unrecorded(KeyOfProcess::Side side, uint32_t communicator, Peer peer, const MessageEnd& place,
                        uint64_t count);
    void doubt(const Request& receive);
    void mark_doubtful();
    Index add_collective(const Request& request);
    uint32_t key_of(const KeyOfProcess& key);
    bool identify(uint32_t communicator, uint64_t& id, uint32_t& scope, int& rank, bool& is_inter) const;
    static MessageEnd end_of(const Call& call, uint32_t stream, int64_t leave);
    static MessageEnd end_of(const Request& request, bool sends);

    ProcessFacts facts_;
    MessageEnds& found_;
    size_t first_key_, first_collective_;  // of this process
    ProcessCommunicators communicators_;
    std::map<uint32_t, Thread> threads_;  // by stream
    std::unordered_map<uint32_t, Request> requests_;
    std::unordered_map<uint32_t, Request> persistent_;  // collectives, as they were made
    std::unordered_map<uint32_t, Request> matched_;     // by request: messages that a probe has found
    std::unordered_map<uint32_t, uint32_t> turns_;      // by communicator
    std::map<KeyOfProcess, uint32_t> keys_;
    uint32_t last_key_ = UINT32_MAX;
    std::vector<Request> doubtful_;  // receives that may have got any message
    bool has_account_ = false, has_lost_ = false, is_finalized_ = false, is_finalizing_ = false;
    uint32_t first_stream_ = UINT32_MAX;  // of the thread that has called MPI_Init
    ProcessTimes times_;
    std::map<int64_t, uint32_t> open_regions_;  // how often
    int64_t complete_until_ = INT64_MAX;        // ends of messages
    int64_t uninterrupted_until_ = INT64_MAX;   // there is no gap of any kind
};

}  // namespace ovni
