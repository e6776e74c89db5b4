// Usage: calls_cpp DIRECTORY. With MPI_THREAD_MULTIPLE: three threads per rank, each on a communicator of its
// own, exchange messages and take part in collectives at once; requests begun by one thread are completed by
// another. Writes DIRECTORY/calls.RANK and DIRECTORY/traffic.RANK.
#include <array>
#include <functional>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "families.h"

namespace {

constexpr int threads = 3;

// A duplicate of MPI_COMM_WORLD.
class Communicator {
 public:
    explicit Communicator(int number) {
        CALL(Comm_dup, MPI_COMM_WORLD, &comm_);
        CALL(Comm_set_name, comm_, ("of thread " + std::to_string(number)).c_str());
    }
    ~Communicator() { CALL(Comm_free, &comm_); }
    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;
    MPI_Comm get() const { return comm_; }

 private:
    MPI_Comm comm_ = MPI_COMM_NULL;
};

void in_threads(const std::function<void(int)>& work) {
    std::vector<std::thread> running;
    running.reserve(threads);
    for (int i = 0; i < threads; ++i) running.emplace_back(work, i);
    for (std::thread& thread : running) thread.join();
}

// Each thread begins with another family.
void exercise_families(MPI_Comm comm, int first) {
    constexpr std::array families = {exercise_messages, exercise_requests, exercise_collectives,
                                     exercise_probes};
    for (size_t i = 0; i < families.size(); ++i) families[(first + i) % families.size()](comm);
}

// Messages of a growing length in both directions, with collectives between.
void exchange_vectors(MPI_Comm comm, int thread) {
    Ring ring = ring_of(comm);
    int from = world_rank(comm, ring.left);
    for (int length = 1; length <= 1 << 14; length *= 4) {
        std::vector<double> out(length, my_rank + thread), in(length + 1, -1);
        MPI_Status status;
        book_sent_items(comm, ring.right, length, MPI_DOUBLE);
        CALL(Sendrecv, out.data(), length, MPI_DOUBLE, ring.right, thread, in.data(), length + 1, MPI_DOUBLE,
             ring.left, thread, comm, &status);
        book_received_status(comm, &status);
        double sum = std::accumulate(in.begin(), in.begin() + length, 0.0), all = 0;
        EXPECT(sum == length * (from + thread) && in[length] == -1);
        CALL(Allreduce, &sum, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
        EXPECT(all >= sum);
    }
}

// One thread posts all, and the others complete them.
void hand_requests_over(const std::vector<MPI_Comm>& comms) {
    std::array<Pending, threads> pending{};
    for (int i = 0; i < threads; ++i) {
        Ring ring = ring_of(comms[i]);
        pend_receive(&pending[i], ring.left, 7, ring.comm);
        pend_receive(&pending[i], MPI_ANY_SOURCE, 8, ring.comm);
        pend_send(&pending[i], &posted_sends[0], 11 + i, ring.right, 7, ring.comm);
        pend_send(&pending[i], &posted_sends[2], 15 + i, ring.left, 8, ring.comm);
        CALL(Ibarrier, ring.comm, pend(&pending[i]));
    }
    in_threads([&](int i) {
        complete(&pending[(i + 1) % threads], 1 + i, i == 0 ? without_statuses : with_statuses);
    });
}

// All threads on one communicator, told apart by their tags.
void share_communicator(MPI_Comm comm) {
    in_threads([comm](int i) {
        Ring ring = ring_of(comm);
        for (int round = 0; round < 10; ++round) {
            Pending pending{};
            pend_receive(&pending, ring.left, 10 + i, comm);
            pend_send(&pending, &posted_sends[round % 3], header_ints + round, ring.right, 10 + i, comm);
            complete(&pending, round % ways_to_complete, round % 2 ? with_statuses : without_statuses);
        }
    });
}

void run() {
    std::array<Communicator, threads> communicators{Communicator(0), Communicator(1), Communicator(2)};
    const std::vector<MPI_Comm> comms = {communicators[0].get(), communicators[1].get(),
                                         communicators[2].get()};
    in_threads([&](int i) {
        exercise_families(comms[i], i);
        exchange_vectors(comms[i], i);
    });
    hand_requests_over(comms);
    share_communicator(MPI_COMM_WORLD);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    int provided = MPI_THREAD_SINGLE;
    CALL(Init_thread, &argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    open_account();
    EXPECT(provided == MPI_THREAD_MULTIPLE);
    run();
    return close_account(argv[1]);
}
