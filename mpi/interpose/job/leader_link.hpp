// Messages between the leaders of nodes, as mpi/sync/measure.hpp wants them, if a leader may never come: no
// function waits longer than its timeout. Each measurement has tags of its own, so messages of a late leader
// are not taken for answers in the next measurement. No request is left but sends that never got through.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "ovni/emit.hpp"

namespace ovni::mpi {

class LeaderLink {
 public:
    // Leaders are given up `timeout` ns after the last message of any leader, and all after five times that.
    // `number`: that of the measurement. `missing`: nodes that did not come to the measurement before; the
    // wait for these is much shorter. Null: the wait for all is the longer one.
    LeaderLink(MPI_Comm leaders, int number, int64_t timeout, bool* missing) noexcept;
    ~LeaderLink();
    LeaderLink(const LeaderLink&) = delete;
    LeaderLink& operator=(const LeaderLink&) = delete;

    // The wait for a leader that stops in the middle of a burst: short enough that others do not give up.
    int64_t patience() const noexcept { return timeout_ / 4; }

    // The time for all exchanges of a measurement.
    int64_t budget() const noexcept { return timeout_ / 2; }

    // The clock of events.
    int64_t now() const noexcept { return static_cast<int64_t>(ovni::now()); }
    bool send(int node, const void* data, int bytes) noexcept;
    bool has_message(int node) noexcept;
    bool receive(int node, void* data, int bytes) noexcept;
    void rest() noexcept;
    bool is_over() const noexcept;

    // Notes for the next measurement which nodes have never come to this one.
    void note_missing() noexcept;
    // Informs leaders that never came, or stopped answering, that nobody waits for them any more.
    void dismiss_absent() noexcept;
    int absent() const noexcept { return absent_; }
    int first_absent() const noexcept { return first_absent_; }
    bool is_dismissed() const noexcept { return is_dismissed_; }

 private:
    // The silence of a node from which a message was expected.
    struct Silence {
        int64_t since, until;  // first and last poll in vain after the last message
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
