! What differs between mpif.h, the module mpi, and the module mpi_f08 without ierror. CALL(Send)(...) calls MPI_Send and counts the
! call: it is two statements, so it stands in no one-line if.
#if defined(WITH_F08)
#define HANDLE(kind) type(kind)
#define STATUS(name) type(MPI_Status) :: name
#define STATUSES(name, most) type(MPI_Status) :: name(most)
#define STATUS_AT(name, place) name(place)
#define SOURCE_OF(status) status%MPI_SOURCE
#define TAG_OF(status) status%MPI_TAG
#define IERROR
#define ONLY_IERROR
#else
#define HANDLE(kind) integer
#define STATUS(name) integer :: name(MPI_STATUS_SIZE)
#define STATUSES(name, most) integer :: name(MPI_STATUS_SIZE, most)
#define STATUS_AT(name, place) name(:, place)
#define SOURCE_OF(status) status(MPI_SOURCE)
#define TAG_OF(status) status(MPI_TAG)
#define IERROR , error
#define ONLY_IERROR error
#endif
#if defined(__GFORTRAN__)
#define CALL(name) call did('MPI_'//'name'); call MPI_/**/name
#else
#define CALL(name) call did('MPI_'//#name); call MPI_##name
#endif
