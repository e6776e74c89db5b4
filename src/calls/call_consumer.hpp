// The base of classes that follow what a process does in MPI. They are called in the order of time.
#pragma once

#include "calls/call.hpp"
#include "model/mpi_details.hpp"
#include "trace/event_view.hpp"

namespace ovni {

// Why a call is not seen to end: its thread enters another one, leaves another one, or a gap follows.
enum class Abandoned : uint8_t { by_enter, by_leave, by_gap };

class CallReader;

class CallConsumer {
 public:
    CallConsumer() = default;
    CallConsumer(const CallConsumer&) = delete;
    CallConsumer& operator=(const CallConsumer&) = delete;
    virtual ~CallConsumer() = default;

    // `thread.call` was entered.
    virtual void entered(const CallThread& /*thread*/) {}
    virtual void left(const CallThread& /*thread*/, const Return& /*result*/) {}
    // `thread.call` will not be seen to end.
    virtual void abandoned(const CallThread& /*thread*/, int64_t /*clock*/, Abandoned /*why*/) {}
    // The outermost call of the thread has ended. `result`: null if a gap or the end of the thread cuts it
    // off.
    virtual void surfaced(const CallThread& /*thread*/, const Return* /*result*/) {}
    // A request has ended. `how`: OVNI_MPI_COMPLETED or one of the constants next to it. received() follows
    // if it got a message.
    virtual void ended(const CallThread& /*thread*/, const Request& /*request*/, uint32_t /*how*/) {}
    // `message`: null if the trace does not record it.
    virtual void received(const CallThread& /*thread*/, const Request& /*request*/,
                          const ReceivedMessage* /*message*/) {}
    // `transfer`: that of a request which has just ended; the bytes that it moved.
    virtual void transferred(uint32_t /*transfer*/, uint64_t /*bytes*/) {}
    // When recording resumes, the process reports the messages and collectives of the pause, and requests
    // that ended in it.
    virtual void unrecorded(const EventView& /*event*/, const MpiUnrecorded& /*count*/) {}
    virtual void ended_unrecorded(const Request& /*request*/, const MpiUnrecordedEnd& /*end*/) {}
    // A gap begins or ends, or the stream was cut; abandoned() came before, if a call was open. `is_counted`:
    // unrecorded() reports what the gap hides.
    virtual void interrupted(const CallThread& /*thread*/, const EventView& /*event*/, bool /*is_counted*/) {}
    // Data of a jumbo event of the model mpi, behind its size.
    virtual void described(const EventView& /*event*/, std::span<const uint8_t> /*data*/) {}
    // An event of the model ovni: states of threads, regions.
    virtual void lived(const CallThread& /*thread*/, const EventView& /*event*/) {}
    // An event of any other model, for consumers that want these.
    virtual bool wants_others() const { return false; }
    virtual void other(const CallThread& /*thread*/, const EventView& /*event*/) {}
    // All events were taken.
    virtual void finished() {}

 protected:
    const CallReader& reader() const { return *reader_; }

 private:
    friend class CallReader;
    const CallReader* reader_ = nullptr;
};

}  // namespace ovni
