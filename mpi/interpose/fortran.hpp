// The steps of a call in the wrapper of a Fortran routine. Fortran bindings call the C functions where no
// tool can see it, so each routine has its own wrappers, in all spellings. A wrapper passes its arguments,
// unchanged, to the routine of its spelling in a library behind this one (RTLD_NEXT), else to pmpi_...: no
// handle is converted and no descriptor opened. `ierror` may be null in mpi_f08. Routines are found at first
// use, so programs without Fortran need none of them.
#pragma once

#include <atomic>
#include <cstddef>

#include "fortran_routines.hpp"
#include "mpi/interpose/calls.hpp"
#include "mpi/interpose/pcontrol.hpp"

namespace ovni::mpi {

// All arguments are addresses, except for the lengths of character arguments, which follow the others.
using Address = void*;

// mpi_x, mpi_x_, mpi_x__, MPI_X, and the names of the module mpi_f08, without and with counts of
// MPI_COUNT_KIND.
enum class Spelling : uint8_t { plain, underscore, underscores, capital, f08, f08ts, f08_large, f08ts_large };
inline constexpr size_t spellings = 8;

// The buffer of an argument. The routines mpi_x_f08ts_ get a descriptor, which begins with its address
// (CFI_cdesc_t of ISO_Fortran_binding.h).
inline const void* buffer_of(Address argument, Spelling spelling) noexcept {
    const bool is_described = spelling == Spelling::f08ts || spelling == Spelling::f08ts_large;
    return is_described && argument ? *static_cast<void* const*>(argument) : argument;
}

// The index of the first request in an array of requests: 0 or 1.
int first_index(Spelling spelling) noexcept;

inline std::atomic<void*> real_routines[std::size(routine_rows)][spellings];

// A routine that is missing is reported and replaced by one that does nothing.
void* find_routine(Routine routine, Spelling spelling) noexcept;

template <class Signature>
Signature* real_routine(Routine routine, Spelling spelling) noexcept {
    auto& known = real_routines[static_cast<size_t>(routine)][static_cast<size_t>(spelling)];
    void* real = known.load(std::memory_order_acquire);
    if (!real) [[unlikely]] {
        real = find_routine(routine, spelling);
        known.store(real, std::memory_order_release);
    }
    return reinterpret_cast<Signature*>(real);
}

template <class Real>
[[gnu::always_inline]] inline auto fortran_call(Function function, Caller caller, Real real) {
    if (!is_looked_at(function)) return real();
    Call traced(function, caller);
    if (!traced.is_outermost()) return real();
    Plain details;
    traced.enter(details);
    BindingCall binding(function);
    return real();
}

// `ierror` may be null: it is optional in mpi_f08.
inline int result_of(Address ierror) noexcept {
    return ierror ? *static_cast<const MPI_Fint*>(ierror) : MPI_SUCCESS;
}
// For MPI_Init, whose `ierror` may be missing: asks MPI.
bool succeeded(Address ierror) noexcept;

template <class Real>
void fortran_init(Function function, Caller caller, Address ierror, Real real) {
    init(function, caller, [&] {
        real();
        return succeeded(ierror) ? MPI_SUCCESS : MPI_ERR_OTHER;
    });
}

template <class Real>
void fortran_session_init(Function function, Caller caller, Address ierror, Real real) {
    session_init(function, caller, [&] {
        real();
        return result_of(ierror);
    });
}

template <class Real>
void fortran_finalize(Function function, Caller caller, Real real) {
    finalize(function, caller, [&] {
        real();
        return MPI_SUCCESS;
    });
}

template <class Real>
void fortran_abort(Function function, Caller caller, Address errorcode, Real real) {
    if (is_foreign_library()) return real();
    fortran_call(function, caller, [&] {
        abort_recording(*static_cast<const MPI_Fint*>(errorcode));
        real();
    });
}

// The text exists only if the program passed one, although no interface of MPI has it.
template <class Real>
void fortran_pcontrol(Function function, Caller caller, Address level, Address text, size_t length,
                      Real real) {
    if (is_foreign_library()) return real();
    ControlCall control(integer(level), text, length);
    control.hit();
    fortran_call(function, caller, [&] {
        control.obey();
        BindingCall binding(function);
        real();
    });
}

}  // namespace ovni::mpi
