// The predefined handles of MPI.
#pragma once

#include "mpi/interpose/library/family.hpp"

namespace ovni::mpi {

OVNI_PREDEFINED(MPI_Comm, comm_world, MPI_COMM_WORLD, "ompi_mpi_comm_world")
OVNI_PREDEFINED(MPI_Comm, comm_self, MPI_COMM_SELF, "ompi_mpi_comm_self")
OVNI_PREDEFINED(MPI_Comm, comm_null, MPI_COMM_NULL, "ompi_mpi_comm_null")
OVNI_PREDEFINED(MPI_Errhandler, errors_return, MPI_ERRORS_RETURN, "ompi_mpi_errors_return")
OVNI_PREDEFINED(MPI_Info, info_null, MPI_INFO_NULL, "ompi_mpi_info_null")
OVNI_PREDEFINED(MPI_Datatype, datatype_null, MPI_DATATYPE_NULL, "ompi_mpi_datatype_null")
OVNI_PREDEFINED(MPI_Datatype, type_char, MPI_CHAR, "ompi_mpi_char")
OVNI_PREDEFINED(MPI_Datatype, type_int, MPI_INT, "ompi_mpi_int")
OVNI_PREDEFINED(MPI_Datatype, type_unsigned_long, MPI_UNSIGNED_LONG, "ompi_mpi_unsigned_long")
OVNI_PREDEFINED(MPI_Op, op_max, MPI_MAX, "ompi_mpi_op_max")
OVNI_PREDEFINED(MPI_Op, op_sum, MPI_SUM, "ompi_mpi_op_sum")
OVNI_PREDEFINED(MPI_Op, op_bor, MPI_BOR, "ompi_mpi_op_bor")
OVNI_PREDEFINED(MPI_Op, op_null, MPI_OP_NULL, "ompi_mpi_op_null")
OVNI_PREDEFINED(MPI_Op, op_no_op, MPI_NO_OP, "ompi_mpi_op_no_op")
OVNI_PREDEFINED(MPI_Request, request_null, MPI_REQUEST_NULL, "ompi_request_null")
OVNI_PREDEFINED(MPI_Message, message_null, MPI_MESSAGE_NULL, "ompi_message_null")
OVNI_PREDEFINED(MPI_Message, message_no_proc, MPI_MESSAGE_NO_PROC, "ompi_message_no_proc")
OVNI_PREDEFINED(MPI_Win, win_null, MPI_WIN_NULL, "ompi_mpi_win_null")
OVNI_PREDEFINED(MPI_File, file_null, MPI_FILE_NULL, "ompi_mpi_file_null")

}  // namespace ovni::mpi
