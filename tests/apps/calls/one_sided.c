/* One-sided communication: windows of all kinds, epochs of all kinds, all accesses. */
#include <string.h>

#include "families.h"

enum { window_ints = 16 };

struct Window {
    MPI_Win win;
    int* memory;
    MPI_Aint start; /* displacement of the target's first int */
    struct Ring ring;
};

static void clear(struct Window* window, MPI_Comm comm) {
    for (int i = 0; i < window_ints; ++i) window->memory[i] = 100 * window->ring.rank + i;
    CALL(Barrier, comm);
}

/* The window of the right neighbour is changed by this rank alone: 0 is put, 1 and 2 are accumulated to, 3 is
 * fetched and added to, 4 is swapped where it is as expected. */
static void access_right(const struct Window* window, int got[4], MPI_Aint unit) {
    const struct Ring* ring = &window->ring;
    MPI_Aint at = window->start;
    static const int one = 1, two[2] = {2, 2}, five = 5;
    const int expected = 100 * ring->right + 4;
    CALL(Put, &five, 1, MPI_INT, ring->right, at, 1, MPI_INT, window->win);
    CALL(Accumulate, two, 2, MPI_INT, ring->right, at + 1 * unit, 2, MPI_INT, MPI_SUM, window->win);
    CALL(Fetch_and_op, &one, &got[0], MPI_INT, ring->right, at + 3 * unit, MPI_SUM, window->win);
    CALL(Compare_and_swap, &five, &expected, &got[1], MPI_INT, ring->right, at + 4 * unit, window->win);
    CALL(Get, &got[2], 1, MPI_INT, ring->right, at + 5 * unit, 1, MPI_INT, window->win);
    CALL(Get_accumulate, two, 1, MPI_INT, &got[3], 1, MPI_INT, ring->right, at + 6 * unit, 1, MPI_INT,
         MPI_REPLACE, window->win);
}

static void check_access(const struct Window* window, const int got[4]) {
    int mine = 100 * window->ring.rank, theirs = 100 * window->ring.right;
    const int* memory = window->memory;
    EXPECT(memory[0] == 5 && memory[1] == mine + 3 && memory[2] == mine + 4 && memory[3] == mine + 4);
    EXPECT(memory[4] == 5 && memory[5] == mine + 5 && memory[6] == 2);
    EXPECT(got[0] == theirs + 3 && got[1] == theirs + 4 && got[2] == theirs + 5 && got[3] == theirs + 6);
}

static void fences(struct Window* window, MPI_Aint unit) {
    int got[4];
    clear(window, window->ring.comm);
    CALL(Win_fence, MPI_MODE_NOPRECEDE, window->win);
    access_right(window, got, unit);
    CALL(Win_fence, MPI_MODE_NOSUCCEED, window->win);
    check_access(window, got);
}

static void post_start(struct Window* window, MPI_Aint unit, int by_test) {
    int got[4], done = 0;
    MPI_Group all, left, right;
    clear(window, window->ring.comm);
    CALL(Win_get_group, window->win, &all);
    CALL(Group_incl, all, 1, &window->ring.left, &left);
    CALL(Group_incl, all, 1, &window->ring.right, &right);
    CALL(Win_post, left, 0, window->win);
    CALL(Win_start, right, 0, window->win);
    access_right(window, got, unit);
    CALL(Win_complete, window->win);
    while (by_test && !done) CALL(Win_test, window->win, &done);
    if (!by_test) CALL(Win_wait, window->win);
    check_access(window, got);
    CALL(Group_free, &left);
    CALL(Group_free, &right);
    CALL(Group_free, &all);
}

static void locks(struct Window* window, MPI_Aint unit, int type) {
    int got[4];
    clear(window, window->ring.comm);
    CALL(Win_lock, type, window->ring.right, 0, window->win);
    access_right(window, got, unit);
    CALL(Win_unlock, window->ring.right, window->win);
    CALL(Barrier, window->ring.comm);
    CALL(Win_lock, MPI_LOCK_SHARED, window->ring.rank, 0, window->win); /* to see what others wrote */
    check_access(window, got);
    CALL(Win_unlock, window->ring.rank, window->win);
}

/* Accesses with a request, in an epoch to all. */
static void requested(const struct Window* window, MPI_Aint unit) {
    static const int seven = 7;
    int right = window->ring.right, got[2] = {-1, -1};
    MPI_Aint at = window->start;
    MPI_Win win = window->win;
    MPI_Request requests[2];
    CALL(Rput, &seven, 1, MPI_INT, right, at + 8 * unit, 1, MPI_INT, win, &requests[0]);
    CALL(Raccumulate, &seven, 1, MPI_INT, right, at + 9 * unit, 1, MPI_INT, MPI_SUM, win, &requests[1]);
    CALL(Waitall, 2, requests, MPI_STATUSES_IGNORE);
    CALL(Win_flush, right, win);
    CALL(Rget, &got[0], 1, MPI_INT, right, at + 8 * unit, 1, MPI_INT, win, &requests[0]);
    CALL(Rget_accumulate, &seven, 1, MPI_INT, &got[1], 1, MPI_INT, right, at + 10 * unit, 1, MPI_INT, MPI_SUM,
         win, &requests[1]);
    for (int done = 0, index; done < 2; ++done) CALL(Waitany, 2, requests, &index, MPI_STATUS_IGNORE);
    EXPECT(got[0] == 7 && got[1] == 100 * right + 10);
}

static void lock_of_all(struct Window* window, MPI_Aint unit) {
    int got[4], mine = 100 * window->ring.rank;
    MPI_Win win = window->win;
    clear(window, window->ring.comm);
    CALL(Win_lock_all, 0, win);
    access_right(window, got, unit);
    CALL(Win_flush_local, window->ring.right, win);
    CALL(Win_flush_local_all, win);
    requested(window, unit);
    CALL(Win_flush_all, win);
    CALL(Barrier, window->ring.comm);
    CALL(Win_sync, win);
    check_access(window, got);
    EXPECT(window->memory[8] == 7 && window->memory[9] == mine + 16 && window->memory[10] == mine + 17);
    CALL(Put, &mine, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win);
    CALL(Win_unlock_all, win);
}

static void epochs(struct Window* window, MPI_Aint unit) {
    fences(window, unit);
    post_start(window, unit, 0);
    post_start(window, unit, 1);
    locks(window, unit, MPI_LOCK_SHARED);
    locks(window, unit, MPI_LOCK_EXCLUSIVE);
    lock_of_all(window, unit);
}

static void named(MPI_Win win) {
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    CALL(Win_set_name, win, "the window");
    CALL(Win_get_name, win, name, &length);
    EXPECT(strcmp(name, "the window") == 0 && length == 10);
}

static void created(struct Ring ring) {
    int memory[window_ints];
    struct Window window = {.memory = memory, .ring = ring};
    CALL(Win_create, memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, ring.comm, &window.win);
    named(window.win);
    epochs(&window, 1);
    CALL(Win_free, &window.win);
}

static void allocated(struct Ring ring) {
    struct Window window = {.ring = ring};
    CALL(Win_allocate, window_ints * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL, ring.comm,
         &window.memory, &window.win);
    epochs(&window, 1);
    CALL(Win_free, &window.win);
}

static void shared(struct Ring ring) {
    MPI_Comm node;
    struct Window window = {.memory = NULL};
    MPI_Aint size;
    int unit, *theirs;
    CALL(Comm_split_type, ring.comm, MPI_COMM_TYPE_SHARED, ring.rank, MPI_INFO_NULL, &node);
    window.ring = ring_of(node);
    CALL(Win_allocate_shared, window_ints * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL, node,
         &window.memory, &window.win);
    epochs(&window, 1);
    CALL(Win_shared_query, window.win, window.ring.right, &size, &unit, &theirs);
    clear(&window, node);
    EXPECT(size >= window_ints * (MPI_Aint)sizeof(int) && unit == sizeof(int));
    EXPECT(theirs[12] == 100 * window.ring.right + 12);
    CALL(Barrier, node);
    CALL(Win_free, &window.win);
    CALL(Comm_free, &node);
}

static void dynamic(struct Ring ring) {
    int memory[window_ints];
    struct Window window = {.memory = memory, .ring = ring};
    MPI_Aint mine, all[256];
    EXPECT(ring.ranks <= 256);
    CALL(Win_create_dynamic, MPI_INFO_NULL, ring.comm, &window.win);
    CALL(Win_attach, window.win, memory, sizeof memory);
    CALL(Get_address, memory, &mine);
    CALL(Allgather, &mine, 1, MPI_AINT, all, 1, MPI_AINT, ring.comm);
    window.start = all[ring.right];
    epochs(&window, sizeof(int));
    CALL(Barrier, ring.comm);
    CALL(Win_detach, window.win, memory);
    CALL(Win_free, &window.win);
}

void exercise_one_sided(MPI_Comm comm) {
    struct Ring ring = ring_of(comm);
    allocated(ring);
    shared(ring);
    if (ring.ranks < 2) return; /* Open MPI 4.1 makes no such windows of one rank */
    created(ring);
    dynamic(ring);
}
