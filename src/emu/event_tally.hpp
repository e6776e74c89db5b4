// What a report says of events: how many of each model every process has, and what its threads did in MPI.
// Events count once they are final: an error elsewhere in the trace may come before what was emulated here.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "emu/plan.hpp"
#include "emu/record.hpp"
#include "emu/system.hpp"
#include "model/mpi_sums.hpp"
#include "trace/event_view.hpp"

namespace ovni {

// Plain data, that ranks exchange.
struct EventCount {
    uint32_t process = 0;  // in System
    uint32_t model = 0;    // in Plan::models
    uint64_t count = 0;
};
struct MpiCount {
    uint32_t process = 0;
    uint32_t function = 0;  // in mpi_function_rows
    MpiSums sums;
};

class EventTally {
 public:
    EventTally(const System& system, const Plan& plan);

    // One that was applied, at that time of the trace; in their order.
    void take(const EventView& event, int64_t time) {
        if (event.kind == EventView::Kind::event) append(event, time);
    }
    // Those before that time are final.
    void settle(int64_t before);
    // The others are final up to that moment, and do not count after it.
    void finish(Moment end);

    // Of the processes whose events were taken.
    std::vector<EventCount> events() const;
    std::vector<MpiCount> mpi() const;

 private:
    static constexpr size_t longest_payload = 16;
    struct Pending {
        int64_t time, clock;  // the clock is raw: times are taken within a thread
        uint32_t order, thread;
        EventCode code;
        uint8_t size;
        std::array<uint8_t, longest_payload> payload;
    };

    void append(const EventView& event, int64_t time);
    void count(const Pending& event);

    const System& system_;
    const size_t models_;
    std::array<uint8_t, 256> model_of_id_{};  // in Plan::models
    std::vector<Pending> pending_;
    std::vector<uint64_t> counts_;                          // by process, then model
    std::vector<std::unique_ptr<ProcessInMpi>> processes_;  // made when they are first seen in MPI
    std::vector<std::unique_ptr<ThreadInMpi>> threads_;
};

}  // namespace ovni
