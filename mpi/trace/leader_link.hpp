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
    // `number`: of the measurement.
    LeaderLink(MPI_Comm leaders, int number, int64_t timeout) noexcept;
    ~LeaderLink();
    LeaderLink(const LeaderLink&) = delete;
    LeaderLink& operator=(const LeaderLink&) = delete;

    // The clock of events.
    int64_t now() const noexcept { return static_cast<int64_t>(ovni::now()); }
    bool send(int node, const void* data, int bytes) noexcept;
    bool receive(int node, void* data, int bytes) noexcept;
    bool has_message(int node) noexcept;
    void rest() noexcept;
    bool is_over() noexcept;

    // Tells those who never answered that nobody waits for them any more.
    void dismiss_absent() noexcept;
    int absent() const noexcept { return absent_; }
    int first_absent() const noexcept { return first_absent_; }
    bool is_dismissed() const noexcept { return is_dismissed_; }

 private:
    enum class Contact : uint8_t { none, awaited, heard };

    bool post(int node, int tag, const void* data, int bytes) noexcept;
    bool finish(MPI_Request& request) noexcept;
    void note(int node, Contact contact) noexcept;

    MPI_Comm leaders_;
    int tag_, dismissal_tag_;
    int nodes_ = 0;
    int64_t timeout_, last_heard_, latest_end_;
    int rests_ = 0;
    int absent_ = 0, first_absent_ = 0;
    bool is_dismissed_ = false;
    Contact* contacts_;
    // MPI keeps the one of a message that was given up.
    void* outgoing_ = nullptr;
    void* incoming_ = nullptr;
};

}  // namespace ovni::mpi
