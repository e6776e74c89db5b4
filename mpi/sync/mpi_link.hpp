// The messages of a Measurement (measure.hpp) by MPI, for programs that have nothing else to do meanwhile. A
// rank whose turn has not come sleeps, and gives up only after a long silence.
#pragma once

#include <mpi.h>
#include <time.h>

#include <algorithm>
#include <cstring>

#include "core/clock.hpp"
#include "mpi/comm/comm.hpp"

namespace ovni::sync {

class MpiLink {
 public:
    // `nodes` has one rank per node.
    MpiLink(const Comm& nodes, const Clock& clock, int64_t longest_silence)
        : nodes_(nodes.duplicate()),
          clock_(clock),
          longest_silence_(longest_silence),
          last_heard_(clock.now()) {}

    // Call before each measurement.
    void begin() noexcept { last_heard_ = now(); }

    int64_t now() const noexcept { return clock_.now(); }
    bool send(int node, const void* data, int bytes) noexcept {
        nap_ns_ = shortest_nap_ns;
        return MPI_Send(data, bytes, MPI_BYTE, node, tag, nodes_.get()) == MPI_SUCCESS;
    }
    bool has_message(int node) noexcept {
        int is_there = 0;
        MPI_Iprobe(node, tag, nodes_.get(), &is_there, MPI_STATUS_IGNORE);
        return is_there != 0;
    }
    bool receive(int node, void* data, int bytes) noexcept {
        nap_ns_ = shortest_nap_ns;
        last_heard_ = now();
        // A message that is too long for its buffer would end the job.
        char buffer[longest_message];
        MPI_Status status;
        int received = 0;
        MPI_Recv(buffer, sizeof buffer, MPI_BYTE, node, tag, nodes_.get(), &status);
        MPI_Get_count(&status, MPI_BYTE, &received);
        if (received != bytes) return false;
        if (bytes > 0) std::memcpy(data, buffer, static_cast<size_t>(bytes));
        return true;
    }
    void rest() noexcept {
        const timespec nap{0, nap_ns_};
        ::nanosleep(&nap, nullptr);
        nap_ns_ = std::min(2 * nap_ns_, longest_nap_ns);
    }
    bool is_over() const noexcept { return now() - last_heard_ > longest_silence_; }

 private:
    static constexpr int tag = 0;
    static constexpr size_t longest_message = 256;
    static constexpr long shortest_nap_ns = 50'000, longest_nap_ns = 2'000'000;

    Comm nodes_;
    const Clock& clock_;
    int64_t longest_silence_, last_heard_;
    long nap_ns_ = shortest_nap_ns;
};

}  // namespace ovni::sync
