// MPICH and the libraries with its binary interface, see family.hpp. Handles are numbers, except for files,
// and predefined handles are constants. The layout of MPI_Status is part of that interface:
// https://www.mpich.org/abi
#pragma once

#include <mpi.h>

#include <cstdint>

#include "mpi/interpose/library/known_symbol.hpp"

namespace ovni::mpi {

#define OVNI_PREDEFINED(type, name, handle, symbol) \
    inline type name() noexcept {                   \
        return handle;                              \
    }
// The header has macros for these.
#define OVNI_F2C(Kind, number) MPI_##Kind##_f2c(number)
#define OVNI_C2F(Kind, handle) MPI_##Kind##_c2f(handle)

#ifdef I_MPI_VERSION
#define OVNI_FAMILY "Intel MPI"
#else
#define OVNI_FAMILY "MPICH"
#endif
inline constexpr bool bindings_call_c = true;
inline constexpr bool may_count_from_0 = true;
inline constexpr bool has_status_of_exchanges = false;

// The number of bytes has 63 bits. The lowest bit of its upper half is set if the request was cancelled.
inline uint64_t bytes_in(const MPI_Status& status) noexcept {
    const auto upper = static_cast<uint32_t>(status.count_hi_and_cancelled) >> 1;
    return uint64_t{upper} << 32 | static_cast<uint32_t>(status.count_lo);
}
inline bool is_cancelled_in(const MPI_Status& status) noexcept {
    return (status.count_hi_and_cancelled & 1) != 0;
}

// The library has one object for all requests of a kind that end at once. Bits 30 and 31 of a handle mark
// objects of the library.
inline bool is_shared(MPI_Request request) noexcept {
    return static_cast<uint32_t>(request) >> 30 == 1;
}

inline int class_of(int error) noexcept {
    int known = error;
    OVNI_KNOWN_PMPI(Error_class)(error, &known);
    return known;
}

// The constants of mpif.h and the module mpi are in common blocks; mpi_f08 has its own variables.
inline constexpr KnownPlace fortran_status_ignore[] = {{"mpipriv1_", 2 * sizeof(MPI_Fint)},
                                                       {"MPIR_F08_MPI_STATUS_IGNORE_OBJ"}};
inline constexpr KnownPlace fortran_statuses_ignore[] = {{"mpipriv2_"}, {"MPIR_F08_MPI_STATUSES_IGNORE_OBJ"}};
inline constexpr KnownPlace fortran_in_place[] = {{"mpipriv1_", sizeof(MPI_Fint)}, {"MPIR_F08_MPI_IN_PLACE"}};

}  // namespace ovni::mpi
