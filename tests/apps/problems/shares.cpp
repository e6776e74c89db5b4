// Problems of how work is shared.
#include <mpi.h>

#include <array>
#include <chrono>
#include <vector>

#include "problem.hpp"

namespace planted {

namespace {

[[gnu::noinline]] void assemble() {
    compute(50);
    MPI_Barrier(MPI_COMM_WORLD);
}
[[gnu::noinline]] void solve() {
    double mine = rank, sum = 0;
    compute(rank == 2 ? 250 : 100);
    facts.is_to_blame = rank == 2;
    const Loses time;
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

void write_for(int ms, MPI_File file, const std::vector<char>& data) {
    const auto end = Clock::now() + std::chrono::milliseconds(ms);
    while (Clock::now() < end) {
        keeps_others_waiting();
        MPI_File_write_at(file, 0, data.data(), static_cast<int>(data.size()), MPI_CHAR, MPI_STATUS_IGNORE);
    }
}

}  // namespace

void region_imbalance() {
    for (int step = 0; step < 4; ++step) {
        MPI_Pcontrol(1, "assemble");
        assemble();
        MPI_Pcontrol(-1, "assemble");
        MPI_Pcontrol(1, "solve");
        solve();
        MPI_Pcontrol(-1, "solve");
    }
}
void unmarked_imbalance() {
    for (int step = 0; step < 4; ++step) {
        assemble();
        solve();
    }
}

// Ranks on another host than rank 0 take 1.5 times as long.
void slow_host() {
    std::array<char, MPI_MAX_PROCESSOR_NAME> mine{}, first{};
    int length = 0;
    MPI_Get_processor_name(mine.data(), &length);
    first = mine;
    MPI_Bcast(first.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
    facts.is_to_blame = mine != first;
    for (int step = 0; step < 5; ++step) {
        compute(facts.is_to_blame ? 300 : 200);
        const Loses time;
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

void one_writer() {
    constexpr size_t megabyte = 1 << 20;
    const std::vector<char> data(megabyte);
    MPI_File file = MPI_FILE_NULL;
    if (rank == 0)
        MPI_File_open(MPI_COMM_SELF, "problems.data",
                      MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    for (int step = 0; step < 3; ++step) {
        compute(200);
        if (rank == 0) {
            write_for(200, file, data);
            MPI_Barrier(MPI_COMM_WORLD);
            continue;
        }
        const Loses time;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0) MPI_File_close(&file);
}

void balanced() {
    double mine = rank, sum = 0;
    for (int step = 0; step < 3; ++step) {
        compute(500);
        const Loses time;
        MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
}

}  // namespace planted
