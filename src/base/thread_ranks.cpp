#include "base/thread_ranks.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <system_error>
#include <thread>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "core/pause.hpp"

namespace ovni {

namespace {

// Another rank has left.
struct Left {};

template <class T>
T combined(Op op, T a, T b) {
    switch (op) {
        case Op::min:
            return std::min(a, b);
        case Op::max:
            return std::max(a, b);
        case Op::bit_or:
            return a | b;
        case Op::sum:
            break;
    }
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

}  // namespace

// The place where every rank shows what it gives. A rank that has left a collective call may enter the next
// one while others still read, but not the one after that: two places by turns are enough.
class ThreadRanks::Board {
 public:
    struct Shown {
        std::vector<std::byte> bytes;
        std::exception_ptr failure;
        const PerRank<std::span<const std::byte>>* outgoing = nullptr;
    };

    explicit Board(int size) : size_(static_cast<uint32_t>(size)), ranks_(static_cast<size_t>(size)) {}

    // The place of that rank in its next collective call.
    Shown& mine(int rank) {
        Rank& own = ranks_[static_cast<size_t>(rank)];
        return own.shown[own.calls % 2];
    }
    void show(int rank, const void* data, size_t bytes) {
        std::vector<std::byte>& place = mine(rank).bytes;
        place.resize(bytes);
        if (bytes > 0) std::memcpy(place.data(), data, bytes);
    }
    // Waits until all ranks have shown theirs; then of(r) is what rank r shows, until the next call but one.
    auto exchange(int rank) {
        const size_t turn = ranks_[static_cast<size_t>(rank)].calls++ % 2;
        wait_for_all();
        return [this, turn](size_t r) -> const Shown& { return ranks_[r].shown[turn]; };
    }
    // All who wait, or will, throw Left.
    void leave() {
        has_left_ = true;
        ++rounds_;
        rounds_.notify_all();
    }

 private:
    struct alignas(64) Rank {
        std::array<Shown, 2> shown;
        size_t calls = 0;
    };

    void wait_for_all() {
        const uint32_t before = rounds_;
        if (has_left_) throw Left();
        if (++arrived_ == size_) {
            arrived_ = 0;
            ++rounds_;
            rounds_.notify_all();
        } else {
            wait_beyond(before);
        }
        if (has_left_) throw Left();
    }

    // Spins first: to sleep and to be woken takes longer than most waits. Not where the others need the core.
    void wait_beyond(uint32_t before) {
        for (int i = 0; i < spins_; ++i) {
            if (rounds_ != before) return;
            pause_briefly();
        }
        rounds_.wait(before);
    }

    static constexpr int most_spins = 20000;  // some 1 ms

    const uint32_t size_;
    const int spins_ = size_ <= usable_cores() ? most_spins : 0;
    std::vector<Rank> ranks_;
    std::atomic<uint32_t> arrived_ = 0, rounds_ = 0;
    std::atomic<bool> has_left_ = false;
};

void ThreadRanks::settle(const std::exception_ptr& failure) const {
    board_.mine(rank_).failure = failure;
    const auto of = board_.exchange(rank_);
    for (size_t r = 0; r < static_cast<size_t>(size_); ++r)
        if (of(r).failure) std::rethrow_exception(of(r).failure);
}

void ThreadRanks::broadcast_bytes(void* data, size_t bytes, int root) const {
    if (rank_ == root) board_.show(rank_, data, bytes);
    const auto of = board_.exchange(rank_);
    if (rank_ != root && bytes > 0) std::memcpy(data, of(static_cast<size_t>(root)).bytes.data(), bytes);
}

void ThreadRanks::allgather_bytes(const void* data, size_t bytes, void* all) const {
    board_.show(rank_, data, bytes);
    const auto of = board_.exchange(rank_);
    for (size_t r = 0; bytes > 0 && r < static_cast<size_t>(size_); ++r)
        std::memcpy(static_cast<std::byte*>(all) + r * bytes, of(r).bytes.data(), bytes);
}

template <class T>
void ThreadRanks::reduce(Op op, T* values, size_t count) const {
    board_.show(rank_, values, count * sizeof(T));
    const auto of = board_.exchange(rank_);
    for (size_t r = 0; r < static_cast<size_t>(size_); ++r) {
        if (r == static_cast<size_t>(rank_)) continue;
        const auto* others = reinterpret_cast<const T*>(of(r).bytes.data());
        for (size_t i = 0; i < count; ++i) values[i] = combined(op, values[i], others[i]);
    }
}

void ThreadRanks::reduce_in_place(Op op, int64_t* values, size_t count) const {
    reduce(op, values, count);
}

void ThreadRanks::reduce_in_place(Op op, uint64_t* values, size_t count) const {
    reduce(op, values, count);
}

uint64_t ThreadRanks::exscan_sum(uint64_t value) const {
    const PerRank<uint64_t> all = allgather(value);
    return std::accumulate(all.begin(), all.begin() + rank_, uint64_t{0});
}

PerRank<uint64_t> ThreadRanks::alltoall_counts(const PerRank<uint64_t>& counts) const {
    board_.show(rank_, counts.data(), counts.size() * sizeof(uint64_t));
    const auto of = board_.exchange(rank_);
    PerRank<uint64_t> to_here;
    for (size_t r = 0; r < counts.size(); ++r)
        to_here.push_back(reinterpret_cast<const uint64_t*>(of(r).bytes.data())[static_cast<size_t>(rank_)]);
    return to_here;
}

void ThreadRanks::exchange(const PerRank<std::span<const std::byte>>& outgoing,
                           const PerRank<std::span<std::byte>>& incoming) const {
    board_.mine(rank_).outgoing = &outgoing;
    const auto of = board_.exchange(rank_);
    for (size_t r = 0; r < incoming.size(); ++r)
        if (!incoming[r].empty())
            std::memcpy(incoming[r].data(), (*of(r).outgoing)[static_cast<size_t>(rank_)].data(),
                        incoming[r].size());
    // Others read `outgoing` until the next exchange().
    board_.exchange(rank_);
}

int run_on_threads(int size, const std::function<int(const Ranks&)>& body) {
    // A rank that is alone may call from several threads.
    if (size == 1) return body(Ranks());
    ThreadRanks::Board board(size);
    std::vector<std::exception_ptr> failures(static_cast<size_t>(size));
    int result = 0;
    auto run = [&](int rank) {
        try {
            const int of_rank = body(ThreadRanks(rank, size, board));
            if (rank == 0) result = of_rank;
        } catch (const Left&) {
            // Another rank reports the cause.
        } catch (...) {
            failures[static_cast<size_t>(rank)] = std::current_exception();
            board.leave();
        }
    };
    {
        std::vector<std::jthread> others;
        try {
            for (int rank = 1; rank < size; ++rank) others.emplace_back(run, rank);
        } catch (const std::system_error& e) {
            board.leave();
            throw Error(fmt::format("thread {} of {} cannot begin: {}: use a smaller -j", others.size() + 2,
                                    size, e.what()));
        } catch (...) {
            board.leave();
            throw;
        }
        run(0);
    }
    for (const std::exception_ptr& failure : failures)
        if (failure) std::rethrow_exception(failure);
    return result;
}

}  // namespace ovni
