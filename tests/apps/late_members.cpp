// Calls that all members of a communicator make, and calls that wait for a message, each time with rank 1
// late by 50 ms. Prints for each function when each rank came there, and when it left, by the clock of the
// system:
//
//     FUNCTION RANK TIME TIME
#include <mpi.h>
#include <time.h>

#include <cstdint>
#include <cstdio>
#include <functional>

// A call at the end of a function would come from the function's caller.
#ifndef __clang__
#pragma GCC optimize("no-optimize-sibling-calls")
#endif

namespace {

int rank = 0, size = 0;

int64_t now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

void run(const char* function, const std::function<void()>& call) {
    const timespec late_by{0, 50'000'000};
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) nanosleep(&late_by, nullptr);
    const int64_t came = now();
    call();
    const int64_t left = now();
    std::printf("%s %d %lld %lld\n", function, rank, static_cast<long long>(came),
                static_cast<long long>(left));
}

void communicators() {
    MPI_Comm copy = MPI_COMM_NULL, half = MPI_COMM_NULL, made = MPI_COMM_NULL, line = MPI_COMM_NULL,
             inter = MPI_COMM_NULL, merged = MPI_COMM_NULL, of_node = MPI_COMM_NULL, of_group = MPI_COMM_NULL;
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    const int is_periodic = 0;
    run("MPI_Comm_dup", [&] { MPI_Comm_dup(MPI_COMM_WORLD, &copy); });
    run("MPI_Comm_split", [&] { MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &half); });
    run("MPI_Comm_split_type",
        [&] { MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &of_node); });
    run("MPI_Comm_create", [&] { MPI_Comm_create(MPI_COMM_WORLD, group, &made); });
    run("MPI_Comm_create_group", [&] { MPI_Comm_create_group(MPI_COMM_WORLD, group, 3, &of_group); });
    run("MPI_Cart_create", [&] { MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &is_periodic, 0, &line); });
    // Rank 0 alone, and the others.
    run("MPI_Intercomm_create", [&] { MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank == 0, 4, &inter); });
    run("MPI_Intercomm_merge", [&] { MPI_Intercomm_merge(inter, rank == 0, &merged); });
    run("MPI_Comm_free", [&] { MPI_Comm_free(&copy); });
    MPI_Group_free(&group);
    for (MPI_Comm* comm : {&half, &made, &line, &inter, &merged, &of_node, &of_group}) MPI_Comm_free(comm);
}

// Rank 0 alone, and the others. Some builds of MPICH have no ports.
void groups() {
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm part = MPI_COMM_NULL, both = MPI_COMM_NULL;
    for (MPI_Comm comm : {MPI_COMM_SELF, MPI_COMM_WORLD}) MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    int has_port = rank == 0 && MPI_Open_port(MPI_INFO_NULL, port) == MPI_SUCCESS;
    for (MPI_Comm comm : {MPI_COMM_SELF, MPI_COMM_WORLD}) MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
    MPI_Bcast(&has_port, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (has_port == 0) return;
    MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &part);
    run("MPI_Comm_connect", [&] {
        if (rank == 0)
            MPI_Comm_accept(port, MPI_INFO_NULL, 0, part, &both);
        else
            MPI_Comm_connect(port, MPI_INFO_NULL, 0, part, &both);
    });
    MPI_Comm_disconnect(&both);
    MPI_Comm_free(&part);
    if (rank == 0) MPI_Close_port(port);
}

void windows() {
    MPI_Win window = MPI_WIN_NULL, own = MPI_WIN_NULL;
    int value = rank, *base = nullptr;
    run("MPI_Win_create",
        [&] { MPI_Win_create(&value, sizeof value, sizeof value, MPI_INFO_NULL, MPI_COMM_WORLD, &window); });
    run("MPI_Win_allocate",
        [&] { MPI_Win_allocate(sizeof value, sizeof value, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &own); });
    const auto as_target = [&](auto call) {
        if (rank == 1) call();
    };
    const auto as_origin = [&](auto call) {
        if (rank == 0) call();
    };
    MPI_Group world = MPI_GROUP_NULL, first = MPI_GROUP_NULL, second = MPI_GROUP_NULL;
    const int ranks[] = {0, 1};
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &ranks[0], &first);
    MPI_Group_incl(world, 1, &ranks[1], &second);
    // MPI_Win_start or MPI_Win_complete waits for the post, as the library likes.
    run("MPI_Win_start", [&] {
        as_target([&] { MPI_Win_post(first, 0, window); });
        as_origin([&] {
            MPI_Win_start(second, 0, window);
            MPI_Win_complete(window);
        });
        as_target([&] { MPI_Win_wait(window); });
    });
    run("MPI_Win_wait", [&] {
        as_origin([&] {
            MPI_Win_post(second, 0, window);
            MPI_Win_wait(window);
        });
        as_target([&] {
            MPI_Win_start(first, 0, window);
            MPI_Win_complete(window);
        });
    });
    for (MPI_Group* group : {&world, &first, &second}) MPI_Group_free(group);
    run("MPI_Win_free", [&] { MPI_Win_free(&window); });
    MPI_Win_free(&own);
}

void files(const char* name) {
    MPI_File file = MPI_FILE_NULL;
    const int numbers[64] = {};
    run("MPI_File_open", [&] {
        MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                      MPI_INFO_NULL, &file);
    });
    run("MPI_File_set_view", [&] { MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL); });
    run("MPI_File_write_at_all",
        [&] { MPI_File_write_at_all(file, MPI_Offset{64} * rank, numbers, 64, MPI_INT, MPI_STATUS_IGNORE); });
    run("MPI_File_set_size", [&] { MPI_File_set_size(file, 4096); });
    run("MPI_File_sync", [&] { MPI_File_sync(file); });
    run("MPI_File_close", [&] { MPI_File_close(&file); });
}

void messages() {
    int number = rank;
    const auto send = [&](int tag) { MPI_Send(&number, 1, MPI_INT, 0, tag, MPI_COMM_WORLD); };
    const auto receive = [&](int tag) {
        MPI_Recv(&number, 1, MPI_INT, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    };
    run("MPI_Probe", [&] {
        if (rank == 1) send(5);
        if (rank == 0) MPI_Probe(1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    });
    if (rank == 0) receive(5);
    run("MPI_Iprobe", [&] {
        if (rank == 1) send(6);
        for (int is_there = rank != 0; is_there == 0;)
            MPI_Iprobe(1, 6, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
    });
    if (rank == 0) receive(6);
    MPI_Message message = MPI_MESSAGE_NULL;
    run("MPI_Mprobe", [&] {
        if (rank == 1) send(7);
        if (rank == 0) MPI_Mprobe(1, 7, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    });
    if (rank == 0) MPI_Mrecv(&number, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    communicators();
    groups();
    windows();
    files(argc > 1 ? argv[1] : "late_members.file");
    messages();
    std::fflush(stdout);
    MPI_Finalize();
    return 0;
}
