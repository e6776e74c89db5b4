// The predefined handles of MPI. Those of Open MPI are addresses of variables of its library, which are
// looked up like its functions; those of other libraries are constants.
#pragma once

#include <mpi.h>

#include "mpi/interpose/pmpi.hpp"

namespace ovni::mpi {

// A symbol that is looked up once.
class KnownSymbol {
 public:
    explicit constexpr KnownSymbol(const char* name) : name_(name) {}
    void* get() noexcept {
        void* known = found_.load(std::memory_order_acquire);
        if (!known) [[unlikely]]
            found_.store(known = find_symbol(name_), std::memory_order_release);
        return known;
    }

 private:
    const char* name_;
    std::atomic<void*> found_{nullptr};
};

#ifdef OPEN_MPI
#define OVNI_MPI_HANDLE(type, name, handle, symbol)     \
    inline constinit KnownSymbol name##_symbol{symbol}; \
    inline type name() noexcept {                       \
        return static_cast<type>(name##_symbol.get());  \
    }
#else
#define OVNI_MPI_HANDLE(type, name, handle, symbol) \
    inline type name() noexcept {                   \
        return handle;                              \
    }
#endif

OVNI_MPI_HANDLE(MPI_Comm, comm_world, MPI_COMM_WORLD, "ompi_mpi_comm_world")
OVNI_MPI_HANDLE(MPI_Comm, comm_self, MPI_COMM_SELF, "ompi_mpi_comm_self")
OVNI_MPI_HANDLE(MPI_Comm, comm_null, MPI_COMM_NULL, "ompi_mpi_comm_null")
OVNI_MPI_HANDLE(MPI_Errhandler, errors_return, MPI_ERRORS_RETURN, "ompi_mpi_errors_return")
OVNI_MPI_HANDLE(MPI_Info, info_null, MPI_INFO_NULL, "ompi_mpi_info_null")
OVNI_MPI_HANDLE(MPI_Datatype, datatype_null, MPI_DATATYPE_NULL, "ompi_mpi_datatype_null")
OVNI_MPI_HANDLE(MPI_Datatype, type_char, MPI_CHAR, "ompi_mpi_char")
OVNI_MPI_HANDLE(MPI_Datatype, type_int, MPI_INT, "ompi_mpi_int")
OVNI_MPI_HANDLE(MPI_Datatype, type_unsigned_long, MPI_UNSIGNED_LONG, "ompi_mpi_unsigned_long")
OVNI_MPI_HANDLE(MPI_Op, op_max, MPI_MAX, "ompi_mpi_op_max")
OVNI_MPI_HANDLE(MPI_Op, op_sum, MPI_SUM, "ompi_mpi_op_sum")
OVNI_MPI_HANDLE(MPI_Op, op_bor, MPI_BOR, "ompi_mpi_op_bor")
OVNI_MPI_HANDLE(MPI_Op, op_null, MPI_OP_NULL, "ompi_mpi_op_null")
OVNI_MPI_HANDLE(MPI_Op, op_no_op, MPI_NO_OP, "ompi_mpi_op_no_op")
OVNI_MPI_HANDLE(MPI_Request, request_null, MPI_REQUEST_NULL, "ompi_request_null")
OVNI_MPI_HANDLE(MPI_Message, message_null, MPI_MESSAGE_NULL, "ompi_message_null")
OVNI_MPI_HANDLE(MPI_Message, message_no_proc, MPI_MESSAGE_NO_PROC, "ompi_message_no_proc")
OVNI_MPI_HANDLE(MPI_Win, win_null, MPI_WIN_NULL, "ompi_mpi_win_null")
OVNI_MPI_HANDLE(MPI_File, file_null, MPI_FILE_NULL, "ompi_mpi_file_null")

}  // namespace ovni::mpi
