// The time in which one process uses MPI, and what the thread that initialised it does meanwhile: its calls,
// and the regions of MPI_Pcontrol. MPI_Init and MPI_Finalize of all threads.
#pragma once

#include <cstdint>
#include <map>

#include "calls/call_consumer.hpp"
#include "messages/scan/found_ends.hpp"

namespace ovni {

class MainThread : public CallConsumer {
 public:
    // `found` gets the times, and outlives this.
    MainThread(const ProcessFacts& facts, MessageEnds& found) : facts_(facts), found_(found) {}

    void left(const CallThread& caller, const Return& result) override;
    void lived(const CallThread& caller, const EventView& event) override;
    void finished() override;

 private:
    void add_world_call(const CallThread& caller, int64_t clock);

    ProcessFacts facts_;
    MessageEnds& found_;
    ProcessTimes times_;
    const CallThread* main_ = nullptr;  // has called MPI_Init
    bool is_finalized_ = false;
    std::map<int64_t, uint32_t> open_regions_;  // how often
};

}  // namespace ovni
