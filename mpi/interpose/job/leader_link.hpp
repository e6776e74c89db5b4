// Messages between the leaders of nodes, as mpi/sync/measure.hpp needs them. A leader may never come, so no
// function waits longer than its timeout. Each measurement has its own tags, so a late leader's messages are
// not taken for answers in the next measurement. The only requests that may remain are sends that were never
// received.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "ovni/emit.hpp"

namespace ovni::mpi {

class LeaderLink {
 public:
    // A leader is given up `timeout` ns after the last message of any leader, and all are given up after five
    // times that. `number`: of the measurement. `missing`: nodes that missed the previous measurement; the
    // wait for these is much shorter. Null: no node is known to be missing.
    LeaderLink(MPI_Comm leaders, int number, int64_t timeout, bool* missing) noexcept;
    ~LeaderLink();
    LeaderLink(const LeaderLink&) = delete;
    LeaderLink& operator=(const LeaderLink&) = delete;

    // The wait, in ns, for a leader that stops within a burst: short enough that others do not give up.
    int64_t patience() const noexcept { return timeout_ / 4; }

    // The time, in ns, for all exchanges of a measurement.
    int64_t budget() const noexcept { return timeout_ / 2; }

    // The clock of events.
    int64_t now() const noexcept { return static_cast<int64_t>(ovni::now()); }
    bool send(int node, const void* data, int bytes) noexcept;
    bool has_message(int node) noexcept;
    bool receive(int node, void* data, int bytes) noexcept;
    void rest() noexcept;
    bool is_over() const noexcept;

    // Stores in `missing` which nodes did not come to this measurement.
    void note_missing() noexcept;
    // Informs leaders that never came, or stopped answering, that the others have given them up.
    void dismiss_absent() noexcept;
    int absent() const noexcept { return absent_; }
    int first_absent() const noexcept { return first_absent_; }
    bool is_dismissed() const noexcept { return is_dismissed_; }

 private:
    // The silence of a node from which a message was expected.
    struct Silence {
        int64_t since, until;  // first and last unsuccessful poll after the last message
        bool was_heard;
    };

    void note(int node, bool is_there) noexcept;
    bool awaits_only_missing() const noexcept;
    bool is_absent(const Silence& silence) const noexcept;
    bool post(int node, int tag, const void* data, int bytes) noexcept;
    bool finish(MPI_Request& request) const noexcept;

    MPI_Comm leaders_;
    int tag_, dismissal_tag_;
    int nodes_ = 0;
    int64_t timeout_, last_heard_, latest_end_;
    int last_polled_ = 0;
    int polls_in_vain_ = 0, rests_ = 0;
    int absent_ = 0, first_absent_ = 0;
    bool is_dismissed_ = false;
    bool* missing_;
    Silence* silences_;  // by node; null without memory
    void* outgoing_ = nullptr;
};

}  // namespace ovni::mpi
