// Records the calls and states of the threads of one process for mpi.prv. Memory: what began since the oldest
// call or state that is still open, seldom more than one call.
#pragma once

#include <cstdint>
#include <deque>
#include <map>

#include "calls/call_consumer.hpp"
#include "emu/state/machine.hpp"
#include "messages/scan/recorded_calls.hpp"

namespace ovni {

class CallRecorder : public CallConsumer {
 public:
    // `calls`, by stream, gets the result and outlives this. Each thread is in one reader only; several
    // readers may have this consumer one after the other.
    explicit CallRecorder(std::map<uint32_t, RecordedCalls>& calls) : calls_(calls) {}

    void entered(const CallThread& caller) override;
    void surfaced(const CallThread& caller, const Return* result) override;
    void interrupted(const CallThread& caller, const EventView& event, bool is_counted) override;
    void lived(const CallThread& caller, const EventView& event) override;
    void finished() override;

 private:
    struct Unended {
        RecordedCall call;
        bool state_is_open = false, call_is_open = false;
    };
    struct Thread {
        RecordedCalls* calls = nullptr;
        std::deque<Unended> unended;
        Unended* open_state = nullptr;  // of `unended`, whose elements stay where they are
        Unended* open_call = nullptr;
        bool is_first_state = true;
        RunState run_state = RunState::unknown;
        bool is_traced = true;
        bool leaves = false;  // by what comes next
        ParaverState shown = ParaverState::not_created;
    };

    Thread& thread_of(const CallThread& caller);
    void leave(Thread& thread, RecordedCall& call, const Return* result);
    void add(Thread& thread, const CallThread& caller, RecordedCall call);
    void end_open_state(Thread& thread, int64_t time);
    static ParaverState state_of(const Thread& thread, const CallThread& caller);
    static void pack(Thread& thread);

    std::map<uint32_t, RecordedCalls>& calls_;
    std::deque<Thread> threads_;  // by CallThread::index
};

}  // namespace ovni
