// A communicator that frees itself, with the collectives that the MPI tools need, typed.
//
// Every member function but rank(), size() and get() is collective: all ranks of the communicator call it in
// the same order. Local work that can fail runs inside agree(), so that all ranks go on or all stop. Counts
// are 64 bits wide; what is longer than MPI's int goes in chunks. Errors of MPI itself end the job (the
// default handler of MPI).
#pragma once

#include <mpi.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace ovni {

// What agree() throws after a failure, on all ranks. The lowest rank that failed carries the message, on all
// others what() is empty. `status` is the exit status, the same on all ranks.
class Stopped : public Error {
 public:
    Stopped(std::string message, int exit_status) : Error(std::move(message)), status(exit_status) {}
    int status;
};

enum class Op { min, max, sum, bit_or };

template <class T>
concept Whole64 = std::same_as<T, int64_t> || std::same_as<T, uint64_t>;
template <class T>
concept Flat = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>;

// One T per rank: element r came from rank r.
template <class T>
using PerRank = std::vector<T>;

class Comm {
 public:
    static Comm world();
    Comm(Comm&& other) noexcept;
    Comm& operator=(Comm&& other) noexcept;
    ~Comm();

    MPI_Comm get() const { return comm_; }
    int rank() const { return rank_; }
    int size() const { return size_; }
    bool is_root() const { return rank_ == 0; }
    // False on ranks that split() left out; such a communicator has size 0 and must not be used.
    explicit operator bool() const { return comm_ != MPI_COMM_NULL; }

    // Ranks of equal colour, ordered by key, then by rank here. A negative colour leaves the rank out.
    Comm split(int colour, int key = 0) const;
    // Ranks that share memory and a host name (virtual nodes share the machine, but have names of their own).
    Comm split_by_node() const;
    // The same ranks, with messages that cannot be mistaken for those of this communicator.
    Comm duplicate() const;

    // Runs local work on every rank and hands its result back. Where it throws on any rank, all ranks throw
    // Stopped. The work must not be collective.
    template <class Work>
    auto agree(Work&& work) const {
        std::exception_ptr failure;
        if constexpr (std::is_void_v<std::invoke_result_t<Work>>) {
            try {
                std::forward<Work>(work)();
            } catch (...) {
                failure = std::current_exception();
            }
            settle(failure);
        } else {
            std::optional<std::invoke_result_t<Work>> result;
            try {
                result.emplace(std::forward<Work>(work)());
            } catch (...) {
                failure = std::current_exception();
            }
            settle(failure);
            return std::move(*result);
        }
    }

    void barrier() const;
    // Waits for all ranks without using the CPU, for ranks that must not disturb a measurement.
    void barrier_asleep() const;

    std::string broadcast(std::string text, int root = 0) const;
    template <Flat T>
    T broadcast(T value, int root = 0) const {
        broadcast_bytes(&value, sizeof value, root);
        return value;
    }
    template <Flat T>
    std::vector<T> broadcast(std::vector<T> values, int root = 0) const {
        values.resize(broadcast<uint64_t>(values.size(), root));
        broadcast_bytes(values.data(), values.size() * sizeof(T), root);
        return values;
    }

    // On all other ranks than the root the result of a gather is empty.
    PerRank<std::string> gather(const std::string& text, int root = 0) const {
        return gather_parts<std::string>({text.data(), text.size()}, root);
    }
    PerRank<std::string> allgather(const std::string& text) const {
        return allgather_parts<std::string>({text.data(), text.size()});
    }
    template <Flat T>
    PerRank<std::vector<T>> gather(const std::vector<T>& values, int root = 0) const {
        return gather_parts<std::vector<T>>({values.data(), values.size()}, root);
    }
    template <Flat T>
    PerRank<std::vector<T>> allgather(const std::vector<T>& values) const {
        return allgather_parts<std::vector<T>>({values.data(), values.size()});
    }
    // Of vectors that have one length on all ranks.
    template <Flat T>
    PerRank<std::vector<T>> allgather_equal(const std::vector<T>& values) const {
        std::vector<T> all(values.size() * static_cast<size_t>(size_));
        allgather_bytes(values.data(), values.size() * sizeof(T), all.data());
        PerRank<std::vector<T>> parts;
        for (auto at = all.begin(); at != all.end(); at += static_cast<std::ptrdiff_t>(values.size()))
            parts.emplace_back(at, at + static_cast<std::ptrdiff_t>(values.size()));
        return parts;
    }
    template <Flat T>
    PerRank<T> allgather(const T& value) const {
        PerRank<T> all(static_cast<size_t>(size_));
        allgather_bytes(&value, sizeof value, all.data());
        return all;
    }

    template <Whole64 T>
    T allreduce(Op op, T value) const {
        reduce_in_place(op, &value, 1);
        return value;
    }
    // Element by element; all ranks give vectors of one length.
    template <Whole64 T>
    std::vector<T> allreduce(Op op, std::vector<T> values) const {
        reduce_in_place(op, values.data(), values.size());
        return values;
    }
    // The sum over all lower ranks, 0 on rank 0.
    template <Whole64 T>
    T exscan(T value) const {
        return static_cast<T>(exscan_sum(static_cast<uint64_t>(value)));
    }

    // Sends to[r] to rank r; element r of the result is what rank r sent here. Empty parts cost no message.
    template <Flat T>
    PerRank<std::vector<T>> alltoallv(const PerRank<std::span<const T>>& to) const {
        PerRank<uint64_t> counts;
        for (const auto& part : to) counts.push_back(part.size());
        counts = alltoall_counts(counts);
        PerRank<std::vector<T>> received(to.size());
        PerRank<std::span<const std::byte>> outgoing;
        PerRank<std::span<std::byte>> incoming;
        for (size_t r = 0; r < to.size(); ++r) {
            received[r].resize(counts[r]);
            outgoing.push_back(std::as_bytes(to[r]));
            incoming.push_back(std::as_writable_bytes(std::span(received[r])));
        }
        exchange(outgoing, incoming);
        return received;
    }

    // What went through this object so far, on this rank: collective calls of MPI, messages between pairs of
    // ranks, and the bytes that this rank gave to both.
    struct Traffic {
        uint64_t collectives = 0, messages = 0, bytes = 0;
    };
    const Traffic& traffic() const { return traffic_; }

    // The same without a copy of what stays here: element r of the result is to[r] itself for this rank, else
    // a part of `room`, which grows and keeps its size from call to call.
    template <Flat T>
    PerRank<std::span<const T>> alltoallv(const PerRank<std::span<const T>>& to, std::vector<T>& room) const {
        PerRank<uint64_t> counts;
        for (const auto& part : to) counts.push_back(part.size());
        counts = alltoall_counts(counts);
        auto self = static_cast<size_t>(rank_);
        counts[self] = 0;
        uint64_t all = 0;
        for (uint64_t count : counts) all += count;
        if (room.size() < all) room.resize(all);
        PerRank<std::span<const T>> received;
        PerRank<std::span<const std::byte>> outgoing;
        PerRank<std::span<std::byte>> incoming;
        size_t at = 0;
        for (size_t r = 0; r < to.size(); ++r) {
            std::span<T> part = std::span(room).subspan(at, counts[r]);
            at += counts[r];
            received.push_back(r == self ? to[r] : part);
            outgoing.push_back(r == self ? std::span<const std::byte>() : std::as_bytes(to[r]));
            incoming.push_back(std::as_writable_bytes(part));
        }
        exchange(outgoing, incoming);
        return received;
    }

    // Longest single message in bytes, the same on all ranks. Only tests need another than the default.
    void set_chunk(size_t bytes) { chunk_ = bytes; }

 private:
    enum class Handle { owned, borrowed };
    Comm(MPI_Comm comm, Handle handle, size_t chunk);

    void settle(const std::exception_ptr& failure) const;
    void count(size_t bytes) const { ++traffic_.collectives, traffic_.bytes += bytes; }
    void broadcast_bytes(void* data, size_t bytes, int root) const;
    void allgather_bytes(const void* data, size_t bytes, void* all) const;
    void reduce_in_place(Op op, int64_t* values, size_t count) const;
    void reduce_in_place(Op op, uint64_t* values, size_t count) const;
    void reduce_chunks(Op op, MPI_Datatype type, void* values, size_t count) const;
    uint64_t exscan_sum(uint64_t value) const;
    PerRank<uint64_t> alltoall_counts(const PerRank<uint64_t>& counts) const;
    // Moves bytes between all pairs of ranks; both sides know the lengths.
    void exchange(const PerRank<std::span<const std::byte>>& outgoing,
                  const PerRank<std::span<std::byte>>& incoming) const;

    template <class Part>
    PerRank<Part> gather_parts(std::span<const typename Part::value_type> mine, int root) const {
        PerRank<uint64_t> counts = allgather<uint64_t>(mine.size());
        PerRank<Part> parts(rank_ == root ? counts.size() : 0);
        PerRank<std::span<const std::byte>> outgoing(counts.size());
        PerRank<std::span<std::byte>> incoming(counts.size());
        outgoing[static_cast<size_t>(root)] = std::as_bytes(mine);
        for (size_t r = 0; r < parts.size(); ++r) {
            parts[r].resize(counts[r]);
            incoming[r] = std::as_writable_bytes(std::span(parts[r]));
        }
        exchange(outgoing, incoming);
        return parts;
    }

    template <class Part>
    PerRank<Part> allgather_parts(std::span<const typename Part::value_type> mine) const {
        PerRank<Part> parts = gather_parts<Part>(mine, 0);
        PerRank<uint64_t> counts = allgather<uint64_t>(mine.size());
        Part all;
        for (const Part& part : parts) all.insert(all.end(), part.begin(), part.end());
        all = broadcast(std::move(all));
        parts.resize(counts.size());
        size_t from = 0;
        for (size_t r = 0; r < parts.size(); ++r, from += counts[r - 1])
            parts[r].assign(all.data() + from, all.data() + from + counts[r]);
        return parts;
    }

    MPI_Comm comm_ = MPI_COMM_NULL;
    Handle handle_ = Handle::borrowed;
    int rank_ = -1;
    int size_ = 0;
    size_t chunk_;
    mutable Traffic traffic_;
};

}  // namespace ovni
