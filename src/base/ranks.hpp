// The collective operations of the ranks of a program. This class is for a program with one rank: every
// function is the identity. thread_ranks.hpp has the class for threads, mpi/comm the class for MPI. So the
// code between trace and outputs is written once, independent of both.
//
// All functions but rank(), size(), is_root(), is_alone(), is_first_of_process() and traffic() are
// collective: all ranks call them in one order. Local work that can fail runs inside agree(), so that either
// all ranks continue or all stop.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ovni {

enum class Op { min, max, sum, bit_or };

template <class T>
concept Whole64 = std::same_as<T, int64_t> || std::same_as<T, uint64_t>;
template <class T>
concept Flat = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>;

// One T per rank: element r came from rank r.
template <class T>
using PerRank = std::vector<T>;

class Ranks {
 public:
    Ranks() = default;
    virtual ~Ranks() = default;

    int rank() const { return rank_; }
    int size() const { return size_; }
    bool is_root() const { return rank_ == 0; }
    bool is_alone() const { return size_ == 1; }
    // True for one rank of each process; several ranks may share a process.
    virtual bool is_first_of_process() const { return true; }

    // Runs local work on every rank and returns its result. If the work throws on any rank, all ranks throw:
    // that exception if they share a process, else Stopped (mpi/comm/comm.hpp). The work must not be
    // collective.
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
    // agree() for work that is already done: `failure` is null if it succeeded.
    virtual void settle(const std::exception_ptr& failure) const;
    // Runs work on rank 0 and returns its result on all ranks, which sleep until then. Throws as agree().
    int run_on_root(const std::function<int()>& work) const;
    // Waits for all ranks without using the CPU. Does nothing if all collective calls wait that way.
    virtual void barrier_asleep() const {}

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

    // The result of a gather is empty on all ranks except the root.
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
    // The values of all ranks in one vector, those of rank 0 first.
    template <Flat T>
    std::vector<T> gather_joined(const std::vector<T>& values) const {
        PerRank<uint64_t> counts = allgather<uint64_t>(values.size());
        if (!is_root()) counts.assign(counts.size(), 0);
        PerRank<std::span<const T>> to(counts.size());
        to[0] = values;
        return exchange_joined<std::vector<T>>(to, counts);
    }
    template <Flat T>
    PerRank<std::vector<T>> allgather(const std::vector<T>& values) const {
        return allgather_parts<std::vector<T>>({values.data(), values.size()});
    }
    // The vectors have one length on all ranks.
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

    // Sends to[r] to rank r; element r of the result came from rank r. Empty parts need no message.
    template <Flat T>
    PerRank<std::vector<T>> alltoallv(const PerRank<std::span<const T>>& to) const {
        PerRank<uint64_t> counts = counts_to_here(to);
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
    // The received values in one vector, those of rank 0 first. `Items`: a vector with any allocator.
    template <class Items>
    Items alltoallv_joined(PerRank<Items> to) const {
        if (is_alone()) return std::move(to[0]);
        PerRank<std::span<const typename Items::value_type>> parts(to.begin(), to.end());
        PerRank<uint64_t> counts = counts_to_here(parts);
        const auto self = static_cast<size_t>(rank_);
        if (counts[self] < std::accumulate(counts.begin(), counts.end(), uint64_t{0}))
            return exchange_joined<Items>(parts, counts);
        parts[self] = {};
        counts[self] = 0;
        exchange_joined<Items>(parts, counts);
        return std::move(to[self]);
    }
    // alltoallv() without a copy of this rank's own part: element r of the result is to[r] itself for this
    // rank, else a part of `room`, which grows and keeps its size from call to call.
    template <Flat T>
    PerRank<std::span<const T>> alltoallv(const PerRank<std::span<const T>>& to, std::vector<T>& room) const {
        PerRank<uint64_t> counts = counts_to_here(to);
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

    // The traffic through this object so far, on this rank: collective MPI calls, messages between pairs of
    // ranks, and the bytes that this rank passed to both. All 0 without MPI.
    struct Traffic {
        uint64_t collectives = 0, messages = 0, bytes = 0;
    };
    const Traffic& traffic() const { return traffic_; }

 protected:
    Ranks(int rank, int size) : rank_(rank), size_(size) {}
    Ranks(const Ranks&) = default;
    Ranks& operator=(const Ranks&) = default;

    virtual void broadcast_bytes(void* data, size_t bytes, int root) const;
    virtual void allgather_bytes(const void* data, size_t bytes, void* all) const;
    virtual void reduce_in_place(Op op, int64_t* values, size_t count) const;
    virtual void reduce_in_place(Op op, uint64_t* values, size_t count) const;
    virtual uint64_t exscan_sum(uint64_t value) const;
    virtual PerRank<uint64_t> alltoall_counts(const PerRank<uint64_t>& counts) const;
    // Moves bytes between all pairs of ranks; both sides know the lengths.
    virtual void exchange(const PerRank<std::span<const std::byte>>& outgoing,
                          const PerRank<std::span<std::byte>>& incoming) const;

    int rank_ = 0;
    int size_ = 1;
    mutable Traffic traffic_;

 private:
    // `counts`: of the values that each rank sends here.
    template <class Items>
    Items exchange_joined(const PerRank<std::span<const typename Items::value_type>>& to,
                          const PerRank<uint64_t>& counts) const {
        static_assert(Flat<typename Items::value_type>);
        Items all(std::accumulate(counts.begin(), counts.end(), uint64_t{0}));
        PerRank<std::span<const std::byte>> outgoing;
        PerRank<std::span<std::byte>> incoming;
        std::span rest(all);
        for (size_t r = 0; r < to.size(); ++r) {
            outgoing.push_back(std::as_bytes(to[r]));
            incoming.push_back(std::as_writable_bytes(rest.first(counts[r])));
            rest = rest.subspan(counts[r]);
        }
        exchange(outgoing, incoming);
        return all;
    }

    template <Flat T>
    PerRank<uint64_t> counts_to_here(const PerRank<std::span<const T>>& to) const {
        PerRank<uint64_t> counts;
        for (const auto& part : to) counts.push_back(part.size());
        return alltoall_counts(counts);
    }

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
        all.reserve(std::accumulate(counts.begin(), counts.end(), uint64_t{0}));
        for (Part& part : parts) {
            all.insert(all.end(), part.begin(), part.end());
            part = Part();
        }
        all = broadcast(std::move(all));
        parts.resize(counts.size());
        size_t from = 0;
        for (size_t r = 0; r < parts.size(); ++r, from += counts[r - 1])
            parts[r].assign(all.data() + from, all.data() + from + counts[r]);
        return parts;
    }
};

}  // namespace ovni
