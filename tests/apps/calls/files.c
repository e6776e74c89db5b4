/* Files: every way of writing and reading, each into its own part of one file, checked by another one. */
#include <stdio.h>
#include <string.h>

#include "families.h"

enum { ints = 4 }; /* of a rank in a part */

struct File {
    MPI_File file;
    int rank, ranks;
    MPI_Comm comm;
    int out[ints], in[ints];
};

/* The offset, in ints, of a rank in part number `part`. */
static MPI_Offset offset_in(const struct File* file, int part, int rank) {
    return ((MPI_Offset)part * file->ranks + rank) * ints;
}

static void prepare(struct File* file, int part) {
    for (int i = 0; i < ints; ++i) file->out[i] = 1000 * file->rank + 10 * part + i, file->in[i] = -1;
}

static void check(const struct File* file) {
    EXPECT(memcmp(file->in, file->out, sizeof file->in) == 0);
}

static void wait(MPI_Request* request, MPI_Status* status) {
    int count;
    CALL(Wait, request, status);
    CALL(Get_count, status, MPI_INT, &count);
    EXPECT(count == ints);
}

#define OUT file->out, ints, MPI_INT
#define IN file->in, ints, MPI_INT

/* At an offset of its own: write_(what), then read_(what). */
static void at_offsets(struct File* file) {
    MPI_Request request;
    MPI_Status status;
    for (int part = 0; part < 5; ++part) {
        MPI_Offset at = offset_in(file, part, file->rank);
        prepare(file, part);
        switch (part) {
            case 0:
                CALL(File_write_at, file->file, at, OUT, &status);
                CALL(File_read_at, file->file, at, IN, &status);
                break;
            case 1:
                CALL(File_write_at_all, file->file, at, OUT, MPI_STATUS_IGNORE);
                CALL(File_read_at_all, file->file, at, IN, MPI_STATUS_IGNORE);
                break;
            case 2:
                CALL(File_iwrite_at, file->file, at, OUT, &request), wait(&request, &status);
                CALL(File_iread_at, file->file, at, IN, &request), wait(&request, &status);
                break;
            case 3:
                CALL(File_iwrite_at_all, file->file, at, OUT, &request), wait(&request, &status);
                CALL(File_iread_at_all, file->file, at, IN, &request), wait(&request, &status);
                break;
            default:
                CALL(File_write_at_all_begin, file->file, at, OUT);
                CALL(File_write_at_all_end, file->file, file->out, &status);
                CALL(File_read_at_all_begin, file->file, at, IN);
                CALL(File_read_at_all_end, file->file, file->in, &status);
        }
        check(file);
    }
}

static void seek(struct File* file, int part) {
    CALL(File_seek, file->file, offset_in(file, part, file->rank), MPI_SEEK_SET);
}

/* At the file pointer of the rank. */
static void at_own_pointer(struct File* file) {
    MPI_Request request;
    MPI_Status status;
    MPI_Offset position;
    for (int part = 5; part < 10; ++part) {
        prepare(file, part);
        seek(file, part);
        if (part == 5) CALL(File_write, file->file, OUT, &status);
        if (part == 6) CALL(File_write_all, file->file, OUT, &status);
        if (part == 7) CALL(File_iwrite, file->file, OUT, &request), wait(&request, &status);
        if (part == 8) CALL(File_iwrite_all, file->file, OUT, &request), wait(&request, &status);
        if (part == 9) CALL(File_write_all_begin, file->file, OUT);
        if (part == 9) CALL(File_write_all_end, file->file, file->out, &status);
        CALL(File_get_position, file->file, &position);
        EXPECT(position == offset_in(file, part, file->rank) + ints);
        seek(file, part);
        if (part == 5) CALL(File_read, file->file, IN, &status);
        if (part == 6) CALL(File_read_all, file->file, IN, &status);
        if (part == 7) CALL(File_iread, file->file, IN, &request), wait(&request, &status);
        if (part == 8) CALL(File_iread_all, file->file, IN, &request), wait(&request, &status);
        if (part == 9) CALL(File_read_all_begin, file->file, IN);
        if (part == 9) CALL(File_read_all_end, file->file, file->in, &status);
        check(file);
    }
}

static void seek_shared(struct File* file, int part) {
    MPI_Offset position;
    CALL(Barrier, file->comm);
    CALL(File_seek_shared, file->file, offset_in(file, part, 0), MPI_SEEK_SET);
    CALL(Barrier, file->comm); /* before anybody moves it */
    CALL(File_get_position_shared, file->file, &position);
    EXPECT(position >= offset_in(file, part, 0));
    CALL(Barrier, file->comm);
}

/* At the shared pointer, in the order of ranks. */
static void ordered(struct File* file) {
    MPI_Status status;
    for (int part = 10; part < 12; ++part) {
        prepare(file, part);
        seek_shared(file, part);
        if (part == 10) CALL(File_write_ordered, file->file, OUT, &status);
        if (part == 11) CALL(File_write_ordered_begin, file->file, OUT);
        if (part == 11) CALL(File_write_ordered_end, file->file, file->out, &status);
        seek_shared(file, part);
        if (part == 10) CALL(File_read_ordered, file->file, IN, &status);
        if (part == 11) CALL(File_read_ordered_begin, file->file, IN);
        if (part == 11) CALL(File_read_ordered_end, file->file, file->in, &status);
        check(file);
    }
}

/* At the shared pointer in any order: a rank may read what another one wrote. */
static void shared(struct File* file) {
    MPI_Request request;
    MPI_Status status;
    for (int part = 12; part < 14; ++part) {
        long sum = 0, all = 0;
        prepare(file, part);
        seek_shared(file, part);
        if (part == 12) CALL(File_write_shared, file->file, OUT, &status);
        if (part == 13) CALL(File_iwrite_shared, file->file, OUT, &request), wait(&request, &status);
        CALL(File_sync, file->file);
        seek_shared(file, part);
        if (part == 12) CALL(File_read_shared, file->file, IN, &status);
        if (part == 13) CALL(File_iread_shared, file->file, IN, &request), wait(&request, &status);
        for (int i = 0; i < ints; ++i) sum += file->in[i] - file->out[i];
        CALL(Allreduce, &sum, &all, 1, MPI_LONG, MPI_SUM, file->comm);
        EXPECT(all == 0);
    }
}

static void asked_about(struct File* file) {
    MPI_Offset size, bytes, displacement;
    MPI_Datatype type, view;
    MPI_Aint extent;
    MPI_Group group;
    MPI_Info info;
    char representation[MPI_MAX_DATAREP_STRING];
    int mode, flag;
    CALL(File_get_amode, file->file, &mode);
    EXPECT(mode & MPI_MODE_RDWR);
    CALL(File_get_view, file->file, &displacement, &type, &view, representation);
    EXPECT(displacement == 0 && type == MPI_INT && strcmp(representation, "native") == 0);
    CALL(File_get_byte_offset, file->file, 3, &bytes);
    EXPECT(bytes == 3 * sizeof(int));
    CALL(File_get_type_extent, file->file, MPI_INT, &extent);
    CALL(File_get_group, file->file, &group);
    CALL(Group_free, &group);
    CALL(File_get_info, file->file, &info);
    CALL(File_set_info, file->file, info);
    CALL(Info_free, &info);
    CALL(File_set_atomicity, file->file, 0);
    CALL(File_get_atomicity, file->file, &flag);
    EXPECT(!flag && extent == sizeof(int));
    CALL(File_preallocate, file->file, offset_in(file, 20, 0));
    CALL(File_set_size, file->file, offset_in(file, 14, 0) * (MPI_Offset)sizeof(int));
    CALL(File_get_size, file->file, &size);
    EXPECT(size == offset_in(file, 14, 0) * (MPI_Offset)sizeof(int));
}

/* Through views: every rank sees its own ints of each part as one sequence. */
static void through_view(struct File* file) {
    MPI_Datatype of_rank;
    MPI_Status status;
    CALL(Type_create_subarray, 2, (int[]){1, file->ranks * ints}, (int[]){1, ints},
         (int[]){0, file->rank * ints}, MPI_ORDER_C, MPI_INT, &of_rank);
    CALL(Type_commit, &of_rank);
    CALL(File_set_view, file->file, 0, MPI_INT, of_rank, "native", MPI_INFO_NULL);
    prepare(file, 3);
    CALL(File_read_at_all, file->file, (MPI_Offset)3 * ints, IN, &status);
    check(file);
    CALL(File_set_view, file->file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    CALL(Type_free, &of_rank);
}

static void deleted(MPI_Comm comm, const char* directory, int rank) {
    char path[4096];
    MPI_File file;
    snprintf(path, sizeof path, "%s/deleted", directory);
    CALL(File_open, comm, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    CALL(File_close, &file);
    CALL(Barrier, comm);
    if (rank == 0) CALL(File_delete, path, MPI_INFO_NULL);
}

void exercise_files(MPI_Comm comm, const char* directory) {
    struct Ring ring = ring_of(comm);
    struct File file = {.rank = ring.rank, .ranks = ring.ranks, .comm = comm};
    char path[4096];
    MPI_Info info;
    snprintf(path, sizeof path, "%s/data", directory);
    CALL(Info_create, &info);
    CALL(Info_set, info, "cb_nodes", "1");
    CALL(File_open, comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file.file);
    CALL(Info_free, &info);
    CALL(File_set_view, file.file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    at_offsets(&file);
    at_own_pointer(&file);
    ordered(&file);
    shared(&file);
    asked_about(&file);
    through_view(&file);
    CALL(File_close, &file.file);
    deleted(comm, directory, ring.rank);
}
