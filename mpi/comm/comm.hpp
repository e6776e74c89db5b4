// A communicator that frees itself: the ranks of an MPI program (base/ranks.hpp), and what only MPI has.
//
// Every member function but rank(), size(), get() and traffic() is collective. Counts are 64 bits wide;
// messages longer than MPI's int are sent in chunks. Errors of MPI itself end the job (the default handler of
// MPI).
#pragma once

#include <mpi.h>

#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/ranks.hpp"

namespace ovni {

// Thrown by agree() on all ranks after a failure. The lowest rank that failed has the message, on all others
// what() is empty. `status` is the exit status, equal on all ranks.
class Stopped : public Error {
 public:
    Stopped(std::string message, int exit_status) : Error(std::move(message)), status(exit_status) {}
    int status;
};

class Comm : public Ranks {
 public:
    static Comm world();
    Comm(Comm&& other) noexcept;
    Comm& operator=(Comm&& other) noexcept;
    ~Comm() override;

    MPI_Comm get() const { return comm_; }
    // False on ranks that split() left out; such a communicator has size 0 and must not be used.
    explicit operator bool() const { return comm_ != MPI_COMM_NULL; }

    // Ranks of equal colour, ordered by key, then by rank here. A negative colour leaves the rank out.
    Comm split(int colour, int key = 0) const;
    // Ranks that share memory and a host name (virtual nodes share the machine, but have names of their own).
    Comm split_by_node() const;
    // A communicator of the ranks of this one. Its messages are never mistaken for messages of this one.
    Comm duplicate() const;

    void settle(const std::exception_ptr& failure) const override;

    void barrier() const;
    void barrier_asleep() const override;

    // Longest single message in bytes, equal on all ranks. Only tests change the default.
    void set_chunk(size_t bytes) { chunk_ = bytes; }

 private:
    enum class Handle { owned, borrowed };
    Comm(MPI_Comm comm, Handle handle, size_t chunk);

    void count(size_t bytes) const { ++traffic_.collectives, traffic_.bytes += bytes; }
    void broadcast_bytes(void* data, size_t bytes, int root) const override;
    void allgather_bytes(const void* data, size_t bytes, void* all) const override;
    void reduce_in_place(Op op, int64_t* values, size_t count) const override;
    void reduce_in_place(Op op, uint64_t* values, size_t count) const override;
    void reduce_chunks(Op op, MPI_Datatype type, void* values, size_t count) const;
    uint64_t exscan_sum(uint64_t value) const override;
    PerRank<uint64_t> alltoall_counts(const PerRank<uint64_t>& counts) const override;
    void exchange(const PerRank<std::span<const std::byte>>& outgoing,
                  const PerRank<std::span<std::byte>>& incoming) const override;

    MPI_Comm comm_ = MPI_COMM_NULL;
    Handle handle_ = Handle::borrowed;
    size_t chunk_;
};

}  // namespace ovni
