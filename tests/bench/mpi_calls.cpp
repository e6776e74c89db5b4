// The cost of recording a call of MPI. Three kinds of batches take turns in one run: calls as the program
// makes them, recorded; these calls past the tracer (PMPI); and the events alone that a call leaves. Prints
// the median of each in ns per call, one line per loop, from rank 0:
//
//     ovnirun mpi-calls-FAMILY [BATCHES]       on 2 ranks
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "ovni/emit.hpp"
#include "ovni/mpi_events.h"

namespace {

constexpr int calls_of_batch = 2000;
constexpr int tag = 1;

int rank = 0;

int other() {
    return 1 - rank;
}

struct Recorded {
    [[gnu::always_inline]] static void iprobe(int* flag) {
        MPI_Iprobe(other(), tag, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE);
    }
    static void send(const char* buffer, int size) {
        MPI_Send(buffer, size, MPI_CHAR, other(), tag, MPI_COMM_WORLD);
    }
    static void receive(char* buffer, int size) {
        MPI_Recv(buffer, size, MPI_CHAR, other(), tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
};

struct Plain {
    [[gnu::always_inline]] static void iprobe(int* flag) {
        PMPI_Iprobe(other(), tag, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE);
    }
    static void send(const char* buffer, int size) {
        PMPI_Send(buffer, size, MPI_CHAR, other(), tag, MPI_COMM_WORLD);
    }
    static void receive(char* buffer, int size) {
        PMPI_Recv(buffer, size, MPI_CHAR, other(), tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
};

template <class Batch>
double nanoseconds_per_call(Batch batch) {
    MPI_Barrier(MPI_COMM_WORLD);
    auto begin = std::chrono::steady_clock::now();
    batch();
    std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
    return time.count() / calls_of_batch;
}

template <class Calls>
void probe_nothing() {
    int flag = 0;
    if (rank == 0)
        for (int i = 0; i < calls_of_batch; ++i) Calls::iprobe(&flag);
}

// Each call comes from another place than the one before.
template <class Calls>
void probe_from_two_sites() {
    int flag = 0;
    if (rank == 0)
        for (int i = 0; i < calls_of_batch / 2; ++i) {
            Calls::iprobe(&flag);
            Calls::iprobe(&flag);
        }
}

void events_of_probes() {
    constexpr uint16_t number = 13;
    if (rank == 0)
        for (int i = 0; i < calls_of_batch; ++i) {
            ovni::emit(OVNI_MPI_ENTER, number, int32_t{1}, int32_t{tag}, uint32_t{OVNI_MPI_WORLD});
            ovni::emit(OVNI_MPI_LEAVE, number);
        }
}

// Two calls on each rank.
template <class Calls>
void ping_pong() {
    char buffer[8] = {};
    for (int i = 0; i < calls_of_batch / 2; ++i) {
        if (rank == 0) Calls::send(buffer, sizeof buffer);
        Calls::receive(buffer, sizeof buffer);
        if (rank == 1) Calls::send(buffer, sizeof buffer);
    }
}

void events_of_messages() {
    for (int i = 0; i < calls_of_batch; ++i) {
        ovni::emit("MS[", int32_t{1}, int32_t{tag}, uint32_t{OVNI_MPI_WORLD}, uint32_t{0});
        ovni::emit("MS]", uint64_t{sizeof(int64_t)}, int32_t{1}, int32_t{tag});
    }
}

double median(std::vector<double>& values) {
    std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

using Loop = void (*)();

void compare(const char* name, int batches, Loop recorded, Loop plain, Loop events) {
    std::vector<double> times[3];
    for (int i = 0; i < batches; ++i) {
        int kind = 0;
        for (Loop loop : {recorded, plain, events}) times[kind++].push_back(nanoseconds_per_call(loop));
    }
    double medians[3];
    for (int kind = 0; kind < 3; ++kind) medians[kind] = median(times[kind]);
    if (rank == 0) std::printf("%s %.1f %.1f %.1f\n", name, medians[0], medians[1], medians[2]);
}

}  // namespace

int main(int argc, char** argv) {
    constexpr int usual_batches = 101;
    int batches = argc > 1 ? std::atoi(argv[1]) : usual_batches;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks != 2 || batches < 1) {
        if (rank == 0) std::fputs("mpi-calls: needs 2 ranks and a number of batches\n", stderr);
        MPI_Finalize();
        return 2;
    }
    compare("iprobe", batches, probe_nothing<Recorded>, probe_nothing<Plain>, events_of_probes);
    compare("two-sites", batches, probe_from_two_sites<Recorded>, probe_from_two_sites<Plain>,
            events_of_probes);
    compare("ping-pong", batches, ping_pong<Recorded>, ping_pong<Plain>, events_of_messages);
    MPI_Finalize();
}
