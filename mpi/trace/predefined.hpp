// The predefined handles of MPI. Those of Open MPI are addresses of variables of its library, which are
// looked up like its functions; those of other libraries are constants.
#pragma once

#include <mpi.h>

#include "mpi/trace/pmpi.hpp"

#ifdef OPEN_MPI
#define OVNI_MPI_HANDLE(type, handle, symbol) static_cast<type>(::ovni::mpi::find_symbol(symbol))
#else
#define OVNI_MPI_HANDLE(type, handle, symbol) handle
#endif

namespace ovni::mpi {

inline MPI_Comm comm_world() {
    return OVNI_MPI_HANDLE(MPI_Comm, MPI_COMM_WORLD, "ompi_mpi_comm_world");
}
inline MPI_Comm comm_null() {
    return OVNI_MPI_HANDLE(MPI_Comm, MPI_COMM_NULL, "ompi_mpi_comm_null");
}
inline MPI_Errhandler errors_return() {
    return OVNI_MPI_HANDLE(MPI_Errhandler, MPI_ERRORS_RETURN, "ompi_mpi_errors_return");
}
inline MPI_Info info_null() {
    return OVNI_MPI_HANDLE(MPI_Info, MPI_INFO_NULL, "ompi_mpi_info_null");
}
inline MPI_Datatype type_char() {
    return OVNI_MPI_HANDLE(MPI_Datatype, MPI_CHAR, "ompi_mpi_char");
}
inline MPI_Datatype type_int() {
    return OVNI_MPI_HANDLE(MPI_Datatype, MPI_INT, "ompi_mpi_int");
}
inline MPI_Datatype type_unsigned_long() {
    return OVNI_MPI_HANDLE(MPI_Datatype, MPI_UNSIGNED_LONG, "ompi_mpi_unsigned_long");
}
inline MPI_Op op_max() {
    return OVNI_MPI_HANDLE(MPI_Op, MPI_MAX, "ompi_mpi_op_max");
}
inline MPI_Op op_bor() {
    return OVNI_MPI_HANDLE(MPI_Op, MPI_BOR, "ompi_mpi_op_bor");
}

}  // namespace ovni::mpi
