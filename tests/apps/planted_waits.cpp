// Ranks that are late by known times. Prints for each case when each rank came there, and when it left, by
// the clock of the system:
//
//     CASE RANK TIME TIME
#include <mpi.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace {

int rank = 0, size = 0;

int64_t now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

void sleep_ms(long ms) {
    const timespec time{0, ms * 1'000'000};
    nanosleep(&time, nullptr);
}

// All begin together, then some are late.
void run(const char* name, bool is_late, const std::function<void()>& call) {
    constexpr long late_by_ms = 300;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (is_late) {
        MPI_Pcontrol(1, "late");
        sleep_ms(late_by_ms);
        MPI_Pcontrol(-1, "late");
    }
    const int64_t came = now();
    call();
    const int64_t left = now();
    std::printf("%s %d %lld %lld\n", name, rank, static_cast<long long>(came), static_cast<long long>(left));
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int one = rank, two = 0;
    std::vector<int> many(static_cast<size_t>(size));
    MPI_Win window = MPI_WIN_NULL;
    MPI_Win_create(&one, sizeof one, sizeof one, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    // A ring, where each has two neighbours.
    MPI_Comm ring = MPI_COMM_NULL;
    const int is_periodic = 1;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &is_periodic, 0, &ring);
    run("late_sender", rank == 1, [&] {
        if (rank == 0) MPI_Recv(&two, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1) MPI_Send(&one, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    });
    run("late_sender_wait", rank == 1, [&] {
        MPI_Request request = MPI_REQUEST_NULL;
        if (rank == 0) MPI_Irecv(&two, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &request);
        if (rank == 1) MPI_Isend(&one, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    });
    run("late_receiver", rank == 1, [&] {
        if (rank == 0) MPI_Ssend(&one, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
        if (rank == 1) MPI_Recv(&two, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    });
    run("n_to_n", rank == 2, [&] { MPI_Allreduce(&one, &two, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); });
    run("late_broadcast", rank == 0, [&] { MPI_Bcast(&one, 1, MPI_INT, 0, MPI_COMM_WORLD); });
    run("early_reduce", rank == 2, [&] { MPI_Reduce(&one, &two, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD); });
    run("early_scan", rank == 0, [&] { MPI_Scan(&one, &two, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); });
    run("non_blocking", rank == 2, [&] {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Iallgather(&one, 1, MPI_INT, many.data(), 1, MPI_INT, MPI_COMM_WORLD, &request);
        MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
    });
    run("failed_tests", rank == 1, [&] {
        MPI_Request request = MPI_REQUEST_NULL;
        if (rank == 0) MPI_Irecv(&two, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, &request);
        if (rank == 1) MPI_Isend(&one, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, &request);
        for (int is_done = 0; is_done == 0; sleep_ms(1)) MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    });
    // Rank 0 receives the late message first.
    run("wrong_order", rank == 1, [&] {
        if (rank == 2) MPI_Send(&one, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
        if (rank == 1) MPI_Send(&one, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
        if (rank != 0) return;
        MPI_Recv(&two, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&two, 1, MPI_INT, 2, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    });
    run("fence", rank == 2, [&] { MPI_Win_fence(0, window); });
    run("neighbours", rank == 3,
        [&] { MPI_Neighbor_allgather(&one, 1, MPI_INT, many.data(), 1, MPI_INT, ring); });
    // Rank 3 sends to all, and gets nothing.
    run("partial", rank == 2, [&] {
        const auto ranks = static_cast<size_t>(size);
        std::vector<int> sent(ranks, 1), got(ranks, rank == size - 1 ? 0 : 1), at(ranks), mine(ranks, rank);
        sent.back() = 0;
        for (size_t i = 0; i < ranks; ++i) at[i] = static_cast<int>(i * sizeof(int));
        const std::vector<MPI_Datatype> types(ranks, MPI_INT);
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Ialltoallw(mine.data(), sent.data(), at.data(), types.data(), many.data(), got.data(), at.data(),
                       types.data(), MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    });
    // Rank 1 waits for rank 2, and so rank 0 for rank 1.
    run("chain", rank == 2, [&] {
        if (rank == 2) MPI_Send(&one, 1, MPI_INT, 1, 6, MPI_COMM_WORLD);
        if (rank == 1) MPI_Recv(&two, 1, MPI_INT, 2, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1) MPI_Send(&one, 1, MPI_INT, 0, 6, MPI_COMM_WORLD);
        MPI_Request request = MPI_REQUEST_NULL;
        int place = 0;
        if (rank == 0) MPI_Irecv(&two, 1, MPI_INT, 1, 6, MPI_COMM_WORLD, &request);
        MPI_Waitany(1, &request, &place, MPI_STATUS_IGNORE);
    });
    run("end", false, [] {});
    MPI_Win_free(&window);
    MPI_Comm_free(&ring);
    run("finalize", rank == 3, [] {});
    std::fflush(stdout);
    MPI_Finalize();
    return 0;
}
