// What the calls of MPI come to, by function: how many, their time, and bytes. Followed from the events of
// the threads of a process, thread by thread or in order of time: the sums are the same.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "model/mpi_details.hpp"

namespace ovni {

struct MpiSums {
    uint64_t calls = 0;  // that were entered
    uint64_t nanoseconds = 0, sent = 0, received = 0;

    MpiSums& operator+=(const MpiSums& other);
};
using MpiSumsByFunction = std::map<const MpiFunctionRow*, MpiSums>;

// I/O that one thread of a process began may complete in another.
class ProcessInMpi {
 public:
    // Now that all of its threads are known.
    MpiSumsByFunction sums() const;

 private:
    friend class ThreadInMpi;
    struct Completed {
        uint32_t request;
        const MpiFunctionRow* in;  // the call that completed it
        uint64_t bytes;
    };
    void complete(const Completed& transfer);

    MpiSumsByFunction sums_;                                     // of nullptr: what belongs to no call
    std::unordered_map<uint32_t, const MpiFunctionRow*> begun_;  // I/O under way, by request
    std::vector<Completed> completed_;                           // before its beginning is known
};

// Follows one thread through its calls. Bytes count for the call in which they are told: what was received,
// for the call that completes the request.
class ThreadInMpi {
 public:
    explicit ThreadInMpi(ProcessInMpi& process) : process_(process) {}

    // The next event of the thread; those of other models change nothing. Times are differences of `clock`.
    void take(EventCode code, std::span<const uint8_t> payload, int64_t clock);

 private:
    MpiSums& current() { return process_.sums_[in_]; }
    void enter(const MpiDetails& details, int64_t clock);
    void leave(const MpiDetails& details, int64_t clock);
    void add_bytes(const MpiFunctionRow& function, uint64_t bytes);
    void end_request(uint32_t request, std::optional<uint32_t> how);
    void transferred(uint64_t bytes);
    void send(uint64_t bytes);

    ProcessInMpi& process_;
    const MpiFunctionRow* in_ = nullptr;
    int64_t since_ = 0;
    uint32_t ended_ = 0;                          // the request that has just ended
    uint32_t started_ = 0;                        // the request that has just been started
    uint64_t to_send_ = 0;                        // by the call, if it succeeds
    std::map<uint32_t, uint64_t> sent_by_start_;  // bytes by request, of this call
    bool to_nobody_ = false;                      // what is sent now
};

}  // namespace ovni
