// The family of MPI libraries that this library is built for: all that differs between families stands in a
// row of core/mpi_families.hpp and a family_NAME.hpp. Each has:
//
// OVNI_PREDEFINED(type, name, handle, symbol)    a function that gives a predefined handle OVNI_F2C(Kind,
// number), OVNI_C2F(Kind, handle) handles of Fortran and C, of kinds other than File OVNI_FAMILY its name, a
// literal bindings_call_c                                a Fortran routine calls the C function where a tool
// sees it may_count_from_0                               mpi_f08 of some versions gives indices of requests
// of C has_status_of_exchanges                        the status of MPI_Isendrecv describes the received
// message bytes_in, is_cancelled_in                      contents of a status, read without a call is_shared
// requests that are many at once, and have ended class_of of an error code fortran_status_ignore and so on
// constants of Fortran that are addresses
#pragma once

#include OVNI_MPI_FAMILY_HEADER
