/* The account that the counting programs share: every MPI call goes through CALL, every point-to-point
 * message that was really transferred is booked with the bytes that were, and a wrong value makes the program
 * exit 1. Any thread may call. */
#pragma once

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CALL(name, ...) (count_call("MPI_" #name), MPI_##name(__VA_ARGS__))
void count_call(const char* name);

/* In MPI_COMM_WORLD. */
extern int my_rank, all_ranks;

/* Reads ranks, and gives MPI a buffer for buffered messages. Behind MPI_Init. */
void open_account(void);
/* Prints the checksum of all ranks on rank 0, ends MPI, and writes DIRECTORY/calls.RANK and
 * DIRECTORY/traffic.RANK. The result is the exit code of the program. */
int close_account(const char* directory);

/* Reports the first few that do not hold on stderr. */
#define EXPECT(holds) expect_at((holds) ? 1 : 0, #holds, __FILE__, __LINE__)
void expect_at(int holds, const char* what, const char* file, int line);

/* Adds a value that was received; the order of values does not matter. */
void add_to_checksum(long value);

/* The rank in MPI_COMM_WORLD of a rank of comm; of its remote group, if there is one. */
int world_rank(MPI_Comm comm, int rank);

/* Ranks are those of comm; MPI_PROC_NULL is nobody. */
void book_sent(MPI_Comm comm, int dest, MPI_Count bytes);
void book_received(MPI_Comm comm, int source, MPI_Count bytes);
/* Book by type, and by status. */
void book_sent_items(MPI_Comm comm, int dest, int count, MPI_Datatype type);
void book_received_status(MPI_Comm comm, const MPI_Status* status);

#ifdef __cplusplus
}
#endif
