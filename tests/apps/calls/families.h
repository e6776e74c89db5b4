/* The families of MPI functions, one file each; a function exercises its family on a communicator with any
 * number of ranks and leaves out what needs more ranks than there are. The first four may run in several
 * threads at once. */
#pragma once

#include "letters.h"

#ifdef __cplusplus
extern "C" {
#endif

void exercise_messages(MPI_Comm comm);
void exercise_probes(MPI_Comm comm);
void exercise_requests(MPI_Comm comm);
void exercise_collectives(MPI_Comm comm);
void exercise_neighbours(MPI_Comm comm);
void exercise_communicators(MPI_Comm comm);
void exercise_one_sided(MPI_Comm comm);
void exercise_files(MPI_Comm comm, const char* directory);
void exercise_others(MPI_Comm comm);

#if MPI_VERSION >= 4
void exercise_large(MPI_Comm comm);
void exercise_large_files(MPI_Comm comm, const char* directory);
void exercise_persistent_collectives(MPI_Comm comm);
void exercise_partitioned(MPI_Comm comm);
#endif

#ifdef __cplusplus
}
#endif
