#include "account.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_names = 512, most_ranks = 256, buffer_bytes = 1 << 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
    const char* name;
    int calls;
} counted[most_names];
static int counted_names;

static struct Traffic {
    long long bytes;
    int messages;
} sent_to[most_ranks], received_from[most_ranks];

static long checksum;
static int wrong_values;

int my_rank, all_ranks;

void count_call(const char* name) {
    pthread_mutex_lock(&lock);
    int i = 0;
    while (i < counted_names && strcmp(counted[i].name, name) != 0) ++i;
    if (i == most_names) abort();
    if (i == counted_names) counted[counted_names++].name = name;
    ++counted[i].calls;
    pthread_mutex_unlock(&lock);
}

void expect_at(int holds, const char* what, const char* file, int line) {
    if (holds) return;
    pthread_mutex_lock(&lock);
    if (++wrong_values < 10) fprintf(stderr, "rank %d: %s:%d: not so: %s\n", my_rank, file, line, what);
    pthread_mutex_unlock(&lock);
}

void add_to_checksum(long value) {
    pthread_mutex_lock(&lock);
    checksum += value;
    pthread_mutex_unlock(&lock);
}

int world_rank(MPI_Comm comm, int rank) {
    int is_inter, there = MPI_UNDEFINED;
    MPI_Group group, world;
    CALL(Comm_test_inter, comm, &is_inter);
    if (is_inter)
        CALL(Comm_remote_group, comm, &group);
    else
        CALL(Comm_group, comm, &group);
    CALL(Comm_group, MPI_COMM_WORLD, &world);
    CALL(Group_translate_ranks, group, 1, &rank, world, &there);
    CALL(Group_free, &world);
    CALL(Group_free, &group);
    return there;
}

static void book(struct Traffic* traffic, MPI_Comm comm, int rank, MPI_Count bytes) {
    if (rank == MPI_PROC_NULL) return;
    int there = world_rank(comm, rank);
    EXPECT(there >= 0 && there < most_ranks && bytes >= 0);
    pthread_mutex_lock(&lock);
    traffic[there].bytes += bytes;
    ++traffic[there].messages;
    pthread_mutex_unlock(&lock);
}

void book_sent(MPI_Comm comm, int dest, MPI_Count bytes) {
    book(sent_to, comm, dest, bytes);
}

void book_received(MPI_Comm comm, int source, MPI_Count bytes) {
    book(received_from, comm, source, bytes);
}

void book_sent_items(MPI_Comm comm, int dest, int count, MPI_Datatype type) {
    MPI_Count bytes;
    CALL(Type_size_x, type, &bytes);
    book_sent(comm, dest, count * bytes);
}

void book_received_status(MPI_Comm comm, const MPI_Status* status) {
    int cancelled;
    MPI_Count bytes;
    CALL(Test_cancelled, status, &cancelled);
    if (cancelled) return;
    CALL(Get_elements_x, status, MPI_BYTE, &bytes);
    book_received(comm, status->MPI_SOURCE, bytes);
}

void open_account(void) {
    CALL(Comm_rank, MPI_COMM_WORLD, &my_rank);
    CALL(Comm_size, MPI_COMM_WORLD, &all_ranks);
    EXPECT(all_ranks <= most_ranks);
    CALL(Buffer_attach, malloc(buffer_bytes), buffer_bytes);
}

static int write_file(const char* directory, const char* name, void (*write)(FILE*)) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.%d", directory, name, my_rank);
    FILE* out = fopen(path, "w");
    if (!out) return 0;
    write(out);
    return fclose(out) == 0;
}

static void write_calls(FILE* out) {
    for (int i = 0; i < counted_names; ++i) fprintf(out, "%s %d\n", counted[i].name, counted[i].calls);
}

static void write_traffic(FILE* out) {
    for (int i = 0; i < most_ranks; ++i) {
        struct Traffic to = sent_to[i], from = received_from[i];
        if (to.messages) fprintf(out, "sent %d %lld %d\n", i, to.bytes, to.messages);
        if (from.messages) fprintf(out, "received %d %lld %d\n", i, from.bytes, from.messages);
    }
}

int close_account(const char* directory) {
    void* buffer;
    int size;
    long total = 0;
    CALL(Buffer_detach, &buffer, &size);
    free(buffer);
    CALL(Reduce, &checksum, &total, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (my_rank == 0) printf("checksum %ld\n", total);
    CALL(Finalize);
    int written =
        write_file(directory, "calls", write_calls) && write_file(directory, "traffic", write_traffic);
    return written && wrong_values == 0 ? 0 : 1;
}
