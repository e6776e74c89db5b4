// Messages between the leaders of nodes, as sync/measure.hpp wants them, of a sender or receiver that may
// never come: nothing here waits longer than a time that is given. Each measurement has tags of its own, so
// what a late one leaves behind is not taken for an answer in the next.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "ovni/emit.hpp"

namespace ovni::mpi {

class LeaderLink {
 public:
    // Others are given up `timeout` ns after the last message from anybody, and all after five times that.
    // `number`: of the measurement. `missing`: by node, who did not come to the measurement before, and is
    // therefore waited for much shorter; null: all are waited for.
    LeaderLink(MPI_Comm leaders, int number, int64_t timeout, bool* missing) noexcept;
    ~LeaderLink();
    LeaderLink(const LeaderLink&) = delete;
    LeaderLink& operator=(const LeaderLink&) = delete;

    // With one that stops in the middle of a burst: others must not be kept waiting for so long that they
    // give up.
    int64_t patience() const noexcept { return timeout_ / 4; }

    // What the exchanges of a measurement may take.
    int64_t budget() const noexcept { return timeout_ / 2; }

    // The clock of events.
    int64_t now() const noexcept { return static_cast<int64_t>(ovni::now()); }
    bool send(int node, const void* data, int bytes) noexcept;
    bool has_message(int node) noexcept;
    bool receive(int node, void* data, int bytes) noexcept;
    void rest() noexcept;
    bool is_over() const noexcept;

    // For the next measurement: who has never come to this one.
    void note_missing() noexcept;
    // Tells those who never came, or stopped answering, that nobody waits for them any more.
    void dismiss_absent() noexcept;
    int absent() const noexcept { return absent_; }
    int first_absent() const noexcept { return first_absent_; }
    bool is_dismissed() const noexcept { return is_dismissed_; }

 private:
    // Of a node that something was expected from.
    struct Silence {
        int64_t since, until;  // of the polls in vain after the last message
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
    Silence* silences_;  // by node; null where there is no memory
    void* outgoing_ = nullptr;
};

}  // namespace ovni::mpi
