/* Usage: calls_c DIRECTORY [FAMILY...]. Calls functions of all families, or of those named, on
 * MPI_COMM_WORLD, and writes DIRECTORY/calls.RANK, DIRECTORY/traffic.RANK and the file DIRECTORY/data. */
#include <stdio.h>
#include <string.h>

#include "families.h"

static const char* directory;

static void exercise_files_there(MPI_Comm comm) {
    exercise_files(comm, directory);
}

static const struct {
    const char* name;
    void (*exercise)(MPI_Comm comm);
} families[] = {
    {"messages", exercise_messages},     {"probes", exercise_probes},
    {"requests", exercise_requests},     {"collectives", exercise_collectives},
    {"neighbours", exercise_neighbours}, {"communicators", exercise_communicators},
    {"one_sided", exercise_one_sided},   {"files", exercise_files_there},
    {"others", exercise_others},
};

static int is_asked_for(const char* family, int argc, char** argv) {
    for (int i = 2; i < argc; ++i)
        if (strcmp(family, argv[i]) == 0) return 1;
    return argc == 2;
}

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    int initialized = 1, finalized = 0;
    MPI_Initialized(&initialized); /* before MPI_Init nothing is recorded, or counted */
    CALL(Init, &argc, &argv);
    EXPECT(!initialized);
    open_account();
    directory = argv[1];
    for (size_t i = 0; i < sizeof families / sizeof *families; ++i) {
        if (!is_asked_for(families[i].name, argc, argv)) continue;
        families[i].exercise(MPI_COMM_WORLD);
        CALL(Barrier, MPI_COMM_WORLD);
        if (my_rank == 0) printf("%s\n", families[i].name);
    }
    int code = close_account(directory);
    MPI_Finalized(&finalized);
    return finalized ? code : 1;
}
