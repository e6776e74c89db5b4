/* Usage: calls_c DIR. Calls functions of every family in C, counts its calls by name in DIR/calls.RANK,
 * writes the file DIR/data, and prints a sum on rank 0. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static struct {
    const char* name;
    int calls;
} counted[128];

static int counted_names = 0;

static void count(const char* name) {
    int i = 0;
    while (i < counted_names && strcmp(counted[i].name, name) != 0) ++i;
    if (i == counted_names) counted[counted_names++].name = name;
    ++counted[i].calls;
}

#define CALL(name, ...) (count("MPI_" #name), MPI_##name(__VA_ARGS__))

static int rank, ranks, right, left, sum;

static void before_init(void) {
    int flag = 0, version, subversion;
    MPI_Initialized(&flag);
    MPI_Get_version(&version, &subversion);
    sum += flag;
}

static void messages(void) {
    int in[2] = {0, 0}, out[2] = {rank, rank + 1}, flag = 0, number;
    MPI_Request requests[2];
    MPI_Status status;
    CALL(Irecv, in, 2, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[0]);
    CALL(Isend, out, 2, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[1]);
    CALL(Waitall, 2, requests, MPI_STATUSES_IGNORE);
    CALL(Isend, out, 1, MPI_INT, right, 2, MPI_COMM_WORLD, &requests[0]);
    while (!flag) CALL(Iprobe, left, 2, MPI_COMM_WORLD, &flag, &status);
    CALL(Get_count, &status, MPI_INT, &number);
    CALL(Recv, in, number, MPI_INT, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CALL(Wait, &requests[0], MPI_STATUS_IGNORE);
    CALL(Send_init, out, 1, MPI_INT, right, 3, MPI_COMM_WORLD, &requests[0]);
    CALL(Recv_init, in, 1, MPI_INT, left, 3, MPI_COMM_WORLD, &requests[1]);
    CALL(Startall, 2, requests);
    CALL(Waitall, 2, requests, MPI_STATUSES_IGNORE);
    CALL(Request_free, &requests[0]);
    CALL(Request_free, &requests[1]);
    sum += in[0] + in[1];
}

static void collectives(void) {
    int one = 1, all[64], counts[64], places[64], total;
    MPI_Request request;
    CALL(Barrier, MPI_COMM_WORLD);
    CALL(Bcast, &one, 1, MPI_INT, 0, MPI_COMM_WORLD);
    CALL(Allreduce, &one, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < ranks; ++i) counts[i] = 1, places[i] = i;
    CALL(Allgatherv, &rank, 1, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD);
    CALL(Iallgatherv, &rank, 1, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD, &request);
    CALL(Wait, &request, MPI_STATUS_IGNORE);
    sum += total + all[ranks - 1];
}

static void communicators(void) {
    MPI_Comm half, ring;
    MPI_Group group;
    int size, dims[1] = {0}, periods[1] = {1}, source, dest;
    char name[MPI_MAX_OBJECT_NAME];
    CALL(Comm_split, MPI_COMM_WORLD, rank % 2, rank, &half);
    CALL(Comm_set_name, half, "half");
    CALL(Comm_get_name, half, name, &size);
    CALL(Comm_group, half, &group);
    CALL(Group_free, &group);
    CALL(Comm_size, half, &size);
    CALL(Comm_free, &half);
    CALL(Dims_create, ranks, 1, dims);
    CALL(Cart_create, MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
    CALL(Cart_shift, ring, 0, 1, &source, &dest);
    CALL(Neighbor_allgather, &rank, 1, MPI_INT, (int[2]){0, 0}, 1, MPI_INT, ring);
    CALL(Comm_free, &ring);
    sum += size + dest + (int)strlen(name);
}

static void one_sided(void) {
    MPI_Win win;
    int window = -1;
    CALL(Win_create, &window, sizeof window, sizeof window, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    CALL(Win_fence, 0, win);
    CALL(Put, &rank, 1, MPI_INT, right, 0, 1, MPI_INT, win);
    CALL(Win_fence, 0, win);
    CALL(Win_free, &win);
    sum += window;
}

static void file(const char* directory) {
    char path[4096];
    MPI_File data;
    MPI_Info info;
    MPI_Datatype two;
    snprintf(path, sizeof path, "%s/data", directory);
    CALL(Info_create, &info);
    CALL(Info_set, info, "cb_nodes", "1");
    CALL(File_open, MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, info, &data);
    CALL(Info_free, &info);
    CALL(Type_contiguous, 2, MPI_INT, &two);
    CALL(Type_commit, &two);
    CALL(File_write_at, data, (MPI_Offset)rank * 2 * (MPI_Offset)sizeof rank, (int[2]){rank, sum}, 1, two,
         MPI_STATUS_IGNORE);
    CALL(Type_free, &two);
    CALL(File_close, &data);
}

static int write_counts(const char* directory) {
    char path[4096];
    snprintf(path, sizeof path, "%s/calls.%d", directory, rank);
    FILE* out = fopen(path, "w");
    if (!out) return 1;
    for (int i = 0; i < counted_names; ++i) fprintf(out, "%s %d\n", counted[i].name, counted[i].calls);
    return fclose(out);
}

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    before_init();
    CALL(Init, &argc, &argv);
    CALL(Comm_rank, MPI_COMM_WORLD, &rank);
    CALL(Comm_size, MPI_COMM_WORLD, &ranks);
    right = (rank + 1) % ranks;
    left = (rank + ranks - 1) % ranks;
    double begin = CALL(Wtime);
    messages();
    collectives();
    communicators();
    one_sided();
    file(argv[1]);
    int total = 0, late = 0;
    CALL(Reduce, &sum, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%d\n", total + (CALL(Wtime) < begin));
    CALL(Finalize);
    MPI_Finalized(&late);
    return write_counts(argv[1]) || !late;
}
