#include "mpi/interpose/library/arguments.hpp"

#include <cstring>

#include "mpi/interpose/library/family.hpp"
#include "mpi/interpose/library/pmpi.hpp"
#include "mpi/interpose/library/predefined.hpp"

namespace ovni::mpi {

namespace {

// A constant of Fortran that is an address, found under the names that it may have.
template <size_t names>
class FortranConstant {
 public:
    explicit constexpr FortranConstant(const KnownPlace (&known)[names]) noexcept : known_(known) {}
    bool is(const void* address) noexcept {
        if (!is_found_) find();
        for (const char* place : places_)
            if (place && place == address) return true;
        return false;
    }

 private:
    void find() noexcept {
        for (size_t i = 0; i < names; ++i) {
            auto* variable = static_cast<const char*>(find_symbol(known_[i].variable));
            places_[i] = variable ? variable + known_[i].offset : nullptr;
        }
        is_found_ = true;
    }

    const KnownPlace (&known_)[names];
    const char* places_[names] = {};
    bool is_found_ = false;
};

FortranConstant status_ignore(fortran_status_ignore), statuses_ignore(fortran_statuses_ignore);
FortranConstant in_place(fortran_in_place);

constexpr size_t status_integers = (sizeof(MPI_Status) + sizeof(MPI_Fint) - 1) / sizeof(MPI_Fint);

}  // namespace

// A number that stands for no handle gives a null pointer where handles are pointers.
template <class Handle>
static Handle or_null(Handle found, Handle null) noexcept {
    return found == Handle() ? null : found;
}

MPI_Comm comm_of(const void* handle) noexcept {
    return or_null(OVNI_F2C(Comm, integer(handle)), comm_null());
}
MPI_Win win_of(const void* handle) noexcept {
    return or_null(OVNI_F2C(Win, integer(handle)), win_null());
}
MPI_File file_of(const void* handle) noexcept {
    return or_null(OVNI_KNOWN_PMPI(File_f2c)(integer(handle)), file_null());
}
MPI_Request request_of(const void* handle) noexcept {
    return or_null(OVNI_F2C(Request, integer(handle)), request_null());
}
MPI_Message message_of(const void* handle) noexcept {
    return or_null(OVNI_F2C(Message, integer(handle)), message_null());
}
MPI_Op op_of(const void* handle) noexcept {
    return or_null(OVNI_F2C(Op, integer(handle)), op_null());
}
MPI_Info info_of(const void* handle) noexcept {
    return or_null(OVNI_F2C(Info, integer(handle)), info_null());
}
MPI_Datatype type_of(const void* handle) noexcept {
    return or_null(OVNI_F2C(Type, integer(handle)), datatype_null());
}

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
    envelope.bytes = bytes_in(status);
    envelope.peer = peer_in_trace(status.MPI_SOURCE);
    envelope.tag = tag_in_trace(status.MPI_TAG);
    return envelope;
}

bool Statuses::is_cancelled(int i) const noexcept {
    return is_cancelled_in(get(i));
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
