#include "mpi/interpose/arguments.hpp"

#include <cstring>

#include "mpi/interpose/pmpi.hpp"
#include "mpi/interpose/predefined.hpp"

namespace ovni::mpi {

namespace {

// The addresses of Fortran's constants that are addresses, found by the names that compilers give a common
// block.
struct FortranConstant {
    const char* names[4];
    void* places[4] = {};
    bool known = false;

    bool is(const void* address) noexcept {
        if (!known) find();
        for (void* place : places)
            if (place && place == address) return true;
        return false;
    }
    void find() noexcept {
        for (int i = 0; i < 4; ++i) places[i] = find_symbol(names[i]);
        known = true;
    }
};

FortranConstant status_ignore{{"mpi_fortran_status_ignore_", "mpi_fortran_status_ignore",
                               "mpi_fortran_status_ignore__", "MPI_FORTRAN_STATUS_IGNORE"}};
FortranConstant statuses_ignore{{"mpi_fortran_statuses_ignore_", "mpi_fortran_statuses_ignore",
                                 "mpi_fortran_statuses_ignore__", "MPI_FORTRAN_STATUSES_IGNORE"}};
FortranConstant in_place{
    {"mpi_fortran_in_place_", "mpi_fortran_in_place", "mpi_fortran_in_place__", "MPI_FORTRAN_IN_PLACE"}};

constexpr size_t status_integers = (sizeof(MPI_Status) + sizeof(MPI_Fint) - 1) / sizeof(MPI_Fint);

}  // namespace

// A number that stands for no handle gives a null pointer where handles are pointers.
#define OVNI_FROM_FORTRAN(Type, Convert, name, null)                  \
    MPI_##Type name(const void* handle) noexcept {                    \
        MPI_##Type found = OVNI_KNOWN_PMPI(Convert)(integer(handle)); \
        return found == MPI_##Type() ? null() : found;                \
    }
OVNI_FROM_FORTRAN(Comm, Comm_f2c, comm_of, comm_null)
OVNI_FROM_FORTRAN(Win, Win_f2c, win_of, win_null)
OVNI_FROM_FORTRAN(File, File_f2c, file_of, file_null)
OVNI_FROM_FORTRAN(Request, Request_f2c, request_of, request_null)
OVNI_FROM_FORTRAN(Message, Message_f2c, message_of, message_null)
OVNI_FROM_FORTRAN(Op, Op_f2c, op_of, op_null)
OVNI_FROM_FORTRAN(Info, Info_f2c, info_of, info_null)
OVNI_FROM_FORTRAN(Datatype, Type_f2c, type_of, datatype_null)

bool Statuses::are_ignored_in_fortran() const noexcept {
    return status_ignore.is(passed_) || statuses_ignore.is(passed_);
}

bool Statuses::take_ours(int count) noexcept {
    MPI_Status* own = own_.make(count);
    if (own) passed_ = own;
    return own != nullptr;
}

MPI_Status Statuses::get(int i) const noexcept {
    if (language_ == Language::c) return static_cast<const MPI_Status*>(passed_)[i];
    MPI_Status status;
    auto* fortran = static_cast<const MPI_Fint*>(passed_) + static_cast<size_t>(i) * status_integers;
    OVNI_KNOWN_PMPI(Status_f2c)(fortran, &status);
    return status;
}

Envelope Statuses::envelope(int i) const noexcept {
    MPI_Status status = get(i);
    Envelope envelope;
#ifdef OPEN_MPI
    envelope.bytes = status._ucount;
#else
    MPI_Count count = 0;
    OVNI_KNOWN_PMPI(Get_elements_x)(&status, MPI_BYTE, &count);
    envelope.bytes = count > 0 ? static_cast<uint64_t>(count) : 0;
#endif
    envelope.peer = peer_in_trace(status.MPI_SOURCE);
    envelope.tag = tag_in_trace(status.MPI_TAG);
    return envelope;
}

bool Statuses::is_cancelled(int i) const noexcept {
    MPI_Status status = get(i);
#ifdef OPEN_MPI
    return status._cancelled != 0;
#else
    int cancelled = 0;
    OVNI_KNOWN_PMPI(Test_cancelled)(&status, &cancelled);
    return cancelled != 0;
#endif
}

int Statuses::error(int i) const noexcept {
    return get(i).MPI_ERROR;
}

bool is_in_place(const void* buffer, Language language) noexcept {
    return language == Language::c ? buffer == MPI_IN_PLACE : in_place.is(buffer);
}

uint64_t bytes_of(int64_t count, MPI_Datatype type) noexcept {
    if (count <= 0 || type == datatype_null() || type == MPI_Datatype()) return 0;
    MPI_Count size = 0;
    OVNI_KNOWN_PMPI(Type_size_x)(type, &size);
    return size > 0 ? static_cast<uint64_t>(count) * static_cast<uint64_t>(size) : 0;
}

std::string_view text_of(const void* text, size_t length, Language language) noexcept {
    const char* chars = static_cast<const char*>(text);
    if (language == Language::c) return chars ? chars : "";
    while (length > 0 && chars[length - 1] == ' ') --length;
    return {chars, length};
}

}  // namespace ovni::mpi
