// Open MPI and its relatives, see family.hpp. Handles are addresses. Predefined handles are addresses of
// variables in the library, which are looked up like its functions.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "mpi/interpose/library/known_symbol.hpp"

namespace ovni::mpi {

#define OVNI_PREDEFINED(type, name, handle, symbol)     \
    inline constinit KnownSymbol name##_symbol{symbol}; \
    inline type name() noexcept {                       \
        return static_cast<type>(name##_symbol.get());  \
    }
#define OVNI_F2C(Kind, number) OVNI_KNOWN_PMPI(Kind##_f2c)(number)
#define OVNI_C2F(Kind, handle) OVNI_PMPI(Kind##_c2f)(handle)

#define OVNI_FAMILY "Open MPI"
inline constexpr bool bindings_call_c = false;
inline constexpr bool may_count_from_0 = false;
inline constexpr bool has_status_of_exchanges = true;

inline uint64_t bytes_in(const MPI_Status& status) noexcept {
    return status._ucount;
}
inline bool is_cancelled_in(const MPI_Status& status) noexcept {
    return status._cancelled != 0;
}

inline constinit KnownSymbol empty_request{"ompi_request_empty"};
inline bool is_shared(MPI_Request request) noexcept {
    return request == static_cast<MPI_Request>(empty_request.get());
}

// An error code equals its class, unless the program has added it. To ask for the class of such a code would
// run the program's error handler.
inline int class_of(int error) noexcept {
    return error;
}

// Compilers give a common block one of these names.
inline constexpr KnownPlace fortran_status_ignore[] = {{"mpi_fortran_status_ignore_"},
                                                       {"mpi_fortran_status_ignore"},
                                                       {"mpi_fortran_status_ignore__"},
                                                       {"MPI_FORTRAN_STATUS_IGNORE"}};
inline constexpr KnownPlace fortran_statuses_ignore[] = {{"mpi_fortran_statuses_ignore_"},
                                                         {"mpi_fortran_statuses_ignore"},
                                                         {"mpi_fortran_statuses_ignore__"},
                                                         {"MPI_FORTRAN_STATUSES_IGNORE"}};
inline constexpr KnownPlace fortran_in_place[] = {{"mpi_fortran_in_place_"},
                                                  {"mpi_fortran_in_place"},
                                                  {"mpi_fortran_in_place__"},
                                                  {"MPI_FORTRAN_IN_PLACE"}};

}  // namespace ovni::mpi
