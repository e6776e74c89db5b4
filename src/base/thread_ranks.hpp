// Ranks that are threads of this process. They exchange data by copies in memory.
#pragma once

#include <functional>
#include <memory>

#include "base/ranks.hpp"

namespace ovni {

class ThreadRanks : public Ranks {
 public:
    bool is_first_of_process() const override { return is_root(); }
    // All ranks throw the exception of the lowest rank that failed.
    void settle(const std::exception_ptr& failure) const override;

 private:
    friend int run_on_threads(int size, const std::function<int(const Ranks&)>& body);
    class Board;
    ThreadRanks(int rank, int size, Board& board) : Ranks(rank, size), board_(board) {}

    void broadcast_bytes(void* data, size_t bytes, int root) const override;
    void allgather_bytes(const void* data, size_t bytes, void* all) const override;
    void reduce_in_place(Op op, int64_t* values, size_t count) const override;
    void reduce_in_place(Op op, uint64_t* values, size_t count) const override;
    template <class T>
    void reduce(Op op, T* values, size_t count) const;
    uint64_t exscan_sum(uint64_t value) const override;
    PerRank<uint64_t> alltoall_counts(const PerRank<uint64_t>& counts) const override;
    void exchange(const PerRank<std::span<const std::byte>>& outgoing,
                  const PerRank<std::span<std::byte>>& incoming) const override;

    Board& board_;
};

// Calls body(ranks) on `size` threads, of which the calling one is rank 0, and returns the result of rank 0.
// `ranks` is a plain Ranks if there is one thread. If a rank throws, the others throw at their next
// collective call, and this function throws the original exception of the lowest rank. Throws
// std::system_error if the system gives no more threads.
int run_on_threads(int size, const std::function<int(const Ranks&)>& body);

}  // namespace ovni
