// A world that starts others; run with any number of ranks:
//
//     spawn [COMMAND]    MPI_Comm_spawn of two processes, letters to and from them, also on what comes of a
//                        merge; then MPI_Comm_spawn_multiple of two programs by the last rank alone, twice
//
// COMMAND is what is started instead of this program. Exits 1 where a letter is wrong, or the environment
// that the call was to give does not arrive.
#include <mpi.h>

#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace {

bool correct = true;

// Everybody to the right neighbour.
void pass_round(MPI_Comm comm) {
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    int value = rank, right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
    MPI_Sendrecv_replace(&value, 1, MPI_INT, right, 7, left, 7, comm, MPI_STATUS_IGNORE);
    correct = correct && value == left;
}

// Rank 0 of either side to all of the other.
void write_letters(MPI_Comm inter) {
    int rank, remote, number = 42;
    MPI_Comm_rank(inter, &rank);
    MPI_Comm_remote_size(inter, &remote);
    MPI_Request letter;
    MPI_Irecv(&number, 1, MPI_INT, 0, 3, inter, &letter);
    for (int i = 0; rank == 0 && i < remote; ++i) {
        int answer = 43;
        MPI_Send(&answer, 1, MPI_INT, i, 3, inter);
    }
    MPI_Wait(&letter, MPI_STATUS_IGNORE);
    correct = correct && number == 43;
}

void meet(MPI_Comm inter, int is_child) {
    write_letters(inter);
    MPI_Comm copy, all, part;
    MPI_Comm_dup(inter, &copy);
    write_letters(copy);
    MPI_Intercomm_merge(inter, is_child, &all);
    pass_round(all);
    int rank;
    MPI_Comm_rank(all, &rank);
    MPI_Comm_split(all, rank % 2, -rank, &part);
    pass_round(part);
    for (MPI_Comm* comm : {&part, &all, &copy}) MPI_Comm_free(comm);
    MPI_Comm_disconnect(&inter);
}

void spawn_one(char* command) {
    MPI_Comm children;
    char word[] = "child";
    char* words[] = {word, nullptr};
    MPI_Comm_spawn(command, words, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
    meet(children, 0);
}

void spawn_two(char* command) {
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank != ranks - 1) return;
    char first[] = "child", second[] = "greeted";
    char *commands[] = {command, command}, *words[][2] = {{first, nullptr}, {second, nullptr}};
    char** arguments[] = {words[0], words[1]};
    int counts[] = {1, 2};
    MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
    MPI_Info_create(&infos[1]);
    MPI_Info_set(infos[1], "env", "GREETING=good morning");
    for (int i = 0; i < 2; ++i) {
        MPI_Comm children;
        MPI_Comm_spawn_multiple(2, commands, arguments, counts, infos, 0, MPI_COMM_SELF, &children,
                                MPI_ERRCODES_IGNORE);
        meet(children, 0);
    }
    MPI_Info_free(&infos[1]);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm parent;
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL) {
        char* command = argc > 1 ? argv[1] : argv[0];
        spawn_one(command);
        spawn_two(command);
    } else {
        const char* greeting = std::getenv("GREETING");
        bool is_greeted = greeting && std::strcmp(greeting, "good morning") == 0;
        correct = argc > 1 && is_greeted == (std::strcmp(argv[1], "greeted") == 0);
        meet(parent, 1);
    }
    MPI_Finalize();
    return correct ? 0 : 1;
}
