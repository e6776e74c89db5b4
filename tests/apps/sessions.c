/* Usage: sessions DIRECTORY. Uses MPI by sessions alone, passes a number around, and writes what calls it
 * made to DIRECTORY/calls.RANK; exits 77 if the MPI has no sessions. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#if MPI_VERSION >= 4
static const struct {
    const char* name;
    int calls;
} made[] = {
    {"MPI_Session_init", 2},
    {"MPI_Session_get_num_psets", 1},
    {"MPI_Group_from_session_pset", 2},
    {"MPI_Comm_create_from_group", 3},
    {"MPI_Comm_rank", 1},
    {"MPI_Comm_size", 1},
    {"MPI_Sendrecv", 1},
    {"MPI_Allreduce", 2},
    {"MPI_Comm_dup", 1},
    {"MPI_Barrier", 1},
    {"MPI_Group_free", 2},
    {"MPI_Comm_free", 4},
    {"MPI_Session_finalize", 2},
};

static void communicate(MPI_Session session, const char* name, MPI_Comm* comm, MPI_Group* group) {
    MPI_Group_from_session_pset(session, "mpi://WORLD", group);
    MPI_Comm_create_from_group(*group, name, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, comm);
}

int main(int argc, char** argv) {
    MPI_Session first, second;
    MPI_Group group, of_second;
    MPI_Comm comm, other, third, copy;
    int sets = 0, rank, ranks, got = -1, sum = 0;
    char path[4096];
    if (argc < 2) return 2;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &first);
    MPI_Session_get_num_psets(first, MPI_INFO_NULL, &sets);
    communicate(first, "first", &comm, &group);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &second);
    communicate(second, "second", &other, &of_second);
    MPI_Comm_create_from_group(group, "third", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &third);
    MPI_Comm_dup(comm, &copy);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % ranks, 5, &got, 1, MPI_INT, (rank + ranks - 1) % ranks, 5,
                 copy, MPI_STATUS_IGNORE);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, other);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, third);
    MPI_Group_free(&of_second);
    MPI_Comm_free(&third);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&other);
    MPI_Session_finalize(&second);
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Session_finalize(&first);
    snprintf(path, sizeof path, "%s/calls.%d", argv[1], rank);
    FILE* out = fopen(path, "w");
    if (!out) return 1;
    for (size_t i = 0; i < sizeof made / sizeof *made; ++i)
        fprintf(out, "%s %d\n", made[i].name, made[i].calls);
    fclose(out);
    return sum == ranks * (ranks - 1) / 2 && got == (rank + ranks - 1) % ranks && sets >= 2 ? 0 : 1;
}
#else
int main(void) {
    return 77;
}
#endif
