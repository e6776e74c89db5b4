// Sums of the calls of MPI by function: number, time, and bytes. Events come thread by thread or in order of
// time; the sums are equal.
//
// Time counts for the innermost call while its thread runs, as the channel of the model shows it. A gap ends
// all open calls, and so does the end of the stream.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/wide_sum.hpp"
#include "model/mpi_event.hpp"

namespace ovni {

struct MpiSums {
    uint64_t calls = 0;  // that were entered
    WideSum nanoseconds, sent, received;

    MpiSums& operator+=(const MpiSums& other);
};
using MpiSumsByFunction = std::map<const MpiFunctionRow*, MpiSums>;

// A function as called from one place of the program.
struct MpiCaller {
    static constexpr uint32_t unknown = 0;
    const MpiFunctionRow* function = nullptr;
    uint32_t site = unknown;  // as MpiSites have it
    auto operator<=>(const MpiCaller&) const = default;
};
using MpiSumsByCaller = std::map<MpiCaller, MpiSums>;

// The time that threads of a process spend between a call and the next one, by both.
struct BetweenCalls {
    MpiCaller from, to;
    uint64_t times = 0;
    WideSum nanoseconds;
};

// The call sites of one stream, by the numbers in its events; `site` counts those of the whole trace, from 1.
using MpiSites = std::unordered_map<uint32_t, MpiCaller>;

// I/O that one thread of a process began may complete in another.
class ProcessInMpi {
 public:
    // Call after the last event of its last thread.
    MpiSumsByFunction sums() const;
    MpiSumsByCaller sums_by_caller() const;
    std::vector<BetweenCalls> between_calls() const;  // sorted by from and to

 private:
    friend class ThreadInMpi;
    using CallerIndex = uint32_t;  // in sums_
    static constexpr CallerIndex no_call = 0;
    struct Completed {
        uint32_t request;
        CallerIndex in;  // the call that completed it
        uint64_t bytes;
    };
    struct Between {
        uint64_t times = 0;
        WideSum nanoseconds;
    };
    CallerIndex index_of(const MpiCaller& caller);
    Between& between(CallerIndex from, CallerIndex to) { return between_[uint64_t{from} << 32 | to]; }
    void complete(const Completed& transfer);

    std::vector<MpiSums> sums_ = std::vector<MpiSums>(1);  // for no call, then for callers as they are found
    std::map<MpiCaller, CallerIndex> indices_;
    std::unordered_map<uint32_t, const MpiFunctionRow*> begun_;  // I/O under way, by request
    struct Collective {
        uint64_t sent = 0, received = 0;  // by each start
    };
    std::unordered_map<uint32_t, Collective> collectives_;  // persistent ones, by request
    std::vector<Completed> completed_;                      // before its beginning is known
    std::unordered_map<uint64_t, Between> between_;         // by two callers
};

// Follows one thread through its calls. Bytes count for the call that records them: those received for the
// call that completes the request.
class ThreadInMpi {
 public:
    // `sites` lives as long as this; null: not known.
    explicit ThreadInMpi(ProcessInMpi& process, const MpiSites* sites = nullptr)
        : process_(process), sites_(sites) {}

    // The next event of the thread; those of other models than mpi and ovni change nothing. Times are
    // differences of `clock`.
    void take(EventCode code, std::span<const uint8_t> payload, int64_t clock) {
        if (code.model() == 'M')
            take(MpiEvent(code, payload), clock);
        else if (code.model() == 'O' && code.category() == 'H')
            change_state(code, clock);
    }
    // A gap begins, or the stream ends.
    void close(int64_t clock);

 private:
    struct Call {
        const MpiFunctionRow* function = nullptr;
        ProcessInMpi::CallerIndex caller = ProcessInMpi::no_call;
        bool to_nobody = false;  // its message goes to MPI_PROC_NULL
        uint64_t to_send = 0;    // by the call, if it succeeds
        uint64_t of_each = 0;    // by each start of the collective that it makes
    };
    // A stream with missing events may have calls that never end. Calls deeper than this, which is the limit
    // of the emulator, are dropped.
    static constexpr size_t deepest = 512;

    MpiSums& current() { return process_.sums_[call_.caller]; }
    void take(const MpiEvent& event, int64_t clock);
    void change_state(EventCode code, int64_t clock);
    void spend_until(int64_t clock);
    void enter(const MpiEvent& event, int64_t clock);
    void leave(const MpiEvent& event, int64_t clock);
    void add_bytes(const MpiFunctionRow& function, uint64_t bytes);
    void end_request(uint32_t request, std::optional<uint32_t> how);
    void start_collective(uint32_t request);
    void transferred(uint64_t bytes);
    void send(uint64_t bytes);
    void come_from(uint32_t site);
    ProcessInMpi::CallerIndex index_of(const MpiFunctionRow* function);

    ProcessInMpi& process_;
    const MpiSites* sites_;
    // The present caller of each function; no_call: not found yet.
    std::array<ProcessInMpi::CallerIndex, std::size(mpi_function_rows)> index_of_{};
    Call call_;  // the innermost
    std::vector<Call> outer_;
    ProcessInMpi::CallerIndex before_ = ProcessInMpi::no_call;  // the last call, unless a gap came behind it
    int64_t left_ = 0, paused_ = 0;  // when that ended; ns in which the thread did not run since then
    bool runs_ = true;               // as it does at its first event of MPI
    int64_t since_ = 0;
    uint32_t ended_ = 0;                          // the request that has just ended
    uint32_t started_ = 0;                        // the request that has just been started
    std::map<uint32_t, uint64_t> sent_by_start_;  // bytes by request, of this call
};

}  // namespace ovni
