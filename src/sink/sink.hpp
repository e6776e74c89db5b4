// The outputs of states: one class per output format, for one rank or many. A sink knows nothing of events,
// models or MPI; what its ranks do together they do through Ranks, which is the identity for one rank.
//
// The order of calls: expect, begin, then share and write for each slice, then end. On many ranks share() is
// called while no write() is in progress, and write() may run in a thread of its own.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

#include "base/ranks.hpp"
#include "emu/plan/plan.hpp"
#include "emu/records/record.hpp"
#include "emu/records/schema.hpp"
#include "messages/match/message_record.hpp"
#include "messages/plan/mpi_call.hpp"
#include "messages/plan/mpi_plan.hpp"
#include "messages/traffic_rows.hpp"
#include "sink/facts.hpp"

namespace ovni {

enum class Ending : uint8_t {
    complete,     // outputs get their names
    interrupted,  // outputs get their names, but end before the trace; a format with room to say so does
    partial       // an event was wrong: what was written so far is kept under names with ".partial" in them
};

// A part of all records: the slices of rank 0, 1, ... one after the other, and then those of the next call,
// are the whole in the order of keys.
struct Slice {
    std::span<const Record> records;
    std::span<const std::vector<Record>> breakdowns;  // lines of each of Schema::breakdowns
    std::span<const MessageRecord> messages = {};
    std::span<const MpiCall> calls = {};  // if a sink needs them
};

// The end of an emulation, alike on all ranks.
struct Outcome {
    const Schema& schema;  // rows as in Plan::schema, with all types and labels
    int64_t duration = 0;  // time of the last event, ns
    Ending ending = Ending::complete;
    const Facts& facts;          // empty if no sink needs them
    const TrafficRows& traffic;  // those of this rank; empty as facts are
    // As --report writes it, on rank 0; null if no sink needs it.
    const nlohmann::ordered_json& report;
};

// Facts that are known before the first slice, and wishes of the user.
struct Expected {
    // Empty if no sink needs them. Waits and collectives of the threads of this rank, in the order of their
    // keys. They may begin behind the last slice, if the emulation ends before the trace.
    const TrafficRows& traffic;
    std::span<const WaitRow> longest_waits;  // of the trace, by time; alike on all ranks
    const MpiPlan& mpi;                      // empty if no sink needs calls, or no process uses MPI
    int64_t min_duration = 0;                // ns: formats that can leave out shorter slices
    bool leaves_out_states = false;          // of mpi.prv
};

class Sink {
 public:
    virtual ~Sink() = default;
    // Called before begin(). Local. What is expected lives as long as the sink is called.
    virtual void expect(const Expected& /*expected*/) {}
    // Collective. Throws Error if the output cannot be made. `ranks` and `plan` outlive the sink.
    virtual void begin(const Ranks& ranks, const Plan& plan) = 0;
    // Collective: what the ranks must agree on before they can write this slice.
    virtual void share(const Slice& /*slice*/) {}
    // Local. Throws Error.
    virtual void write(const Slice& slice) = 0;
    // Collective. Outputs get their names; without it, and after an error, nothing is left.
    virtual void end(const Outcome& outcome) = 0;

    // Expected::traffic and Expected::longest_waits.
    virtual bool needs_traffic() const { return true; }
    // Calls of MPI, with their plan.
    virtual bool needs_calls() const { return false; }
    virtual bool needs_facts() const { return false; }
    // Facts with the sums of regions.
    virtual bool needs_regions() const { return false; }
    virtual bool needs_report() const { return false; }
    // Bytes that this rank has written of slices.
    virtual uint64_t bytes_written() const { return 0; }
};

}  // namespace ovni
