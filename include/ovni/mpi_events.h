/* Events of the model `mpi`, version 1.1.0: a thread enters and leaves an MPI function.
 *
 * The 49 functions that version 1.0.0 knows have codes of their own, without payload. A stream that holds
 * nothing else requires version 1.0.0. Every other function has a number, its place in the table
 * share/ovni/mpi_functions.txt, which never changes; two codes carry it, and a stream that holds one of them
 * requires 1.1.0:
 *
 *     MX[   enter   u16 number
 *     MX]   leave   u16 number
 *
 * MPI_Comm_split has the number 70, 0x46. At the clock 0x1122334455667788 its enter and leave are, as bytes
 * of a stream (flags with payload size - 1, code, clock, payload; everything little endian):
 *
 *     01  4d 58 5b  88 77 66 55 44 33 22 11  46 00
 *     01  4d 58 5d  88 77 66 55 44 33 22 11  46 00
 *
 * In the trace of Paraver the function is a value of type 25: 1 to 49 for those with codes, else
 * OVNI_MPI_FIRST_VALUE + number - 1, which is 1000 + number: 1070 for MPI_Comm_split.
 */
#ifndef OVNI_MPI_EVENTS_H
#define OVNI_MPI_EVENTS_H

#define OVNI_MPI_VERSION_OF_CODES "1.0.0"
#define OVNI_MPI_VERSION "1.1.0"

#define OVNI_MPI_ENTER "MX["
#define OVNI_MPI_LEAVE "MX]"

#define OVNI_MPI_FIRST_VALUE 1001 /* of the function with number 1 */

#endif
