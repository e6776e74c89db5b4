// The one reader of the events of MPI of a process: it follows calls and requests, and knows what a failed
// send, a persistent request, a matched probe, a nested call, a gap or a pause mean. Consumers get what it
// finds. Memory: threads, communicators, persistent collectives, and requests that are under way.
//
// A call inside another one replaces it: the outer call is not seen to end. Requests have the numbers that
// the process gave them. A request exists only if an event begins it and its call does not fail.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "calls/call.hpp"
#include "calls/call_consumer.hpp"
#include "calls/communicators.hpp"
#include "calls/request_table.hpp"
#include "model/mpi_event.hpp"
#include "model/next_sites.hpp"
#include "trace/stream_reader.hpp"

namespace ovni {

class CallReader {
 public:
    // The consumers outlive this, and are called in this order.
    explicit CallReader(std::vector<CallConsumer*> consumers);
    CallReader(const CallReader&) = delete;
    CallReader& operator=(const CallReader&) = delete;

    // The streams record what pauses leave out (OVNI_MPI_VERSION_OF_PAUSES).
    void expect_account() { has_account_ = true; }
    // The call sites of each stream, of which some may lack. Without them the sites of calls are unknown.
    void know_sites(std::span<const MpiSites> sites) { sites_ = sites; }
    // Takes the events of the streams of one process in the order of time; events of all models are allowed.
    void take(const EventView& event);
    // Events of that stream are missing from here on.
    void end_damaged(uint32_t stream) { thread_of(stream).is_damaged = true; }
    // Call after the last event.
    void finish();

    const ProcessCommunicators& communicators() const { return communicators_; }
    // `index`: CallThread::index. After finish() the call of a thread is the one that is still open, also if
    // its stream was cut.
    size_t thread_count() const { return threads_.size(); }
    const CallThread& thread(size_t index) const { return threads_[index]; }
    // Under way.
    const RequestTable& requests() const { return requests_; }
    // Messages that probes have found and no call has received, by the number of their request.
    const std::unordered_map<uint32_t, Request>& found() const { return found_; }
    struct Turns {
        uint32_t all = 0, collectives = 0;  // all: with fences
    };
    // The collectives that the process has entered, by number of the communicator.
    const std::unordered_map<uint32_t, Turns>& turns() const { return turns_; }
    // MPI_Finalize was entered.
    bool is_finalizing() const { return is_finalizing_; }
    // A gap of any kind has begun; the end of a stream is none.
    bool has_gaps() const { return has_gaps_; }

 private:
    struct Counted {
        uint32_t request = 0, start = 0, made = 0;
    };
    struct Thread : CallThread {
        Counted counted;                           // what MXg has just reported
        uint32_t started = 0;                      // the send that MXs has just started
        uint32_t ended = 0;                        // the receive that MXc has just ended
        uint32_t transfer = Request::no_transfer;  // that of the request that MXc has just ended
        std::vector<uint32_t> started_requests;    // by this call
        NextSites sites;
    };

    Thread& thread_of(uint32_t stream);
    void take_mark(Thread& thread, const EventView& event);
    void live(Thread& thread, const EventView& event);
    void come_from(Thread& thread, uint32_t site) const;
    void take_description(const EventView& event);
    void enter(Thread& thread, const EventView& event, const MpiEvent& mpi);
    void leave(Thread& thread, const EventView& event, const MpiEvent& mpi);
    void surface(Thread& thread);
    void abandon(Thread& thread, int64_t clock, Abandoned why);
    void post(const Thread& thread);
    void leave_posting(const Call& call, const Return& result);
    void leave_probe(const Thread& thread, const Return& result);
    void begin_at_leave(const Thread& thread, Return& result);
    void start(Thread& thread, const EventView& event, const MpiEvent& mpi);
    void start_collective(Thread& thread, const EventView& event, const MpiEvent& mpi);
    void end_request(Thread& thread, uint32_t number, uint32_t how);
    void end_receive(Thread& thread, const ReceivedMessage* message);
    void take_bytes(Thread& thread, uint64_t bytes);
    void take_under_way(const EventView& event, const MpiUnderWay& receive);
    template <class... Given, class... Args>
    void notify(void (CallConsumer::*what)(Given...), const Args&... args) {
        for (CallConsumer* consumer : consumers_) (consumer->*what)(args...);
    }

    std::vector<CallConsumer*> consumers_, of_others_;
    ProcessCommunicators communicators_;
    std::deque<Thread> threads_;
    Thread* last_ = nullptr;  // whose event came last
    std::unordered_map<uint32_t, Thread*> by_stream_;
    RequestTable requests_;
    std::unordered_map<uint32_t, Request> persistent_;  // collectives, as they were made
    std::unordered_map<uint32_t, Request> found_;
    std::unordered_map<uint32_t, Turns> turns_;  // by communicator
    std::span<const MpiSites> sites_;
    bool has_account_ = false, is_finalizing_ = false, has_gaps_ = false;
};

// Reads streams of one process to their ends, or to damage. Returns what is wrong with them.
std::vector<std::string> read(std::vector<StreamReader> streams, CallReader& process);

}  // namespace ovni
