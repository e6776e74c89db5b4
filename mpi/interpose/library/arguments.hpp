// Arguments of MPI calls as the program passed them, in C or in Fortran: handles that a call makes or
// changes, statuses that the program may ignore, buffers that may be MPI_IN_PLACE. In Fortran all arguments
// are addresses, and handles are integers.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstring>
#include <string_view>

#include "mpi/interpose/library/call_array.hpp"
#include "ovni/mpi_events.h"

namespace ovni::mpi {

enum class Language : uint8_t { c, fortran };

// Handles of C from the addresses of those of Fortran.
MPI_Comm comm_of(const void* handle) noexcept;
MPI_Datatype type_of(const void* handle) noexcept;
MPI_Win win_of(const void* handle) noexcept;
MPI_File file_of(const void* handle) noexcept;
MPI_Request request_of(const void* handle) noexcept;
MPI_Message message_of(const void* handle) noexcept;
MPI_Info info_of(const void* handle) noexcept;
MPI_Op op_of(const void* handle) noexcept;

inline int integer(const void* number) noexcept {
    return *static_cast<const MPI_Fint*>(number);
}
inline int64_t large_integer(const void* number) noexcept {
    return *static_cast<const MPI_Count*>(number);
}

// An array of counts in the memory of the program, of int or of MPI_Count.
class Counts {
 public:
    constexpr Counts() = default;
    constexpr Counts(const int* counts) noexcept : usual_(counts) {}
    constexpr Counts(const MPI_Count* counts) noexcept : large_(counts) {}
    explicit operator bool() const noexcept { return usual_ || large_; }
    int64_t operator[](uint32_t i) const noexcept { return usual_ ? usual_[i] : large_[i]; }

 private:
    const int* usual_ = nullptr;
    const MPI_Count* large_ = nullptr;
};

// A handle, or an array of handles, in the memory of the program, read at each get().
template <class Handle, Handle (*from_fortran)(const void*) noexcept>
class Handles {
 public:
    constexpr Handles() = default;
    constexpr Handles(const void* at, Language language) noexcept : at_(at), language_(language) {}
    explicit operator bool() const noexcept { return at_ != nullptr; }
    const void* address() const noexcept { return at_; }
    // A null address, which no program may pass, is a null pointer here.
    Handle get(int i = 0) const noexcept {
        if (!at_) return Handle();
        return language_ == Language::c ? static_cast<const Handle*>(at_)[i]
                                        : from_fortran(static_cast<const MPI_Fint*>(at_) + i);
    }
    void copy(Handle* to, int count) const noexcept {
        if (at_ && language_ == Language::c && count > 0)
            memcpy(to, at_, static_cast<size_t>(count) * sizeof *to);
        else
            for (int i = 0; i < count; ++i) to[i] = get(i);
    }

 private:
    const void* at_ = nullptr;
    Language language_ = Language::c;
};
using Comms = Handles<MPI_Comm, comm_of>;
using Types = Handles<MPI_Datatype, type_of>;
using Wins = Handles<MPI_Win, win_of>;
using Files = Handles<MPI_File, file_of>;
using Requests = Handles<MPI_Request, request_of>;
using Messages = Handles<MPI_Message, message_of>;

struct Envelope {
    uint64_t bytes = 0;
    int32_t peer = 0, tag = 0;
};

// The statuses that a call fills. If the program ignores them and the tracer needs them, the call gets the
// tracer's.
class Statuses {
 public:
    Statuses() = default;
    Statuses(void* program, Language language) noexcept : passed_(program), language_(language) {}
    // Call before the MPI call, if `count` statuses are to be read after it. False if memory runs out.
    bool need(int count) noexcept { return !are_ignored() || take_ours(count); }
    // The argument to pass to MPI.
    void* passed() const noexcept { return passed_; }
    MPI_Status* for_c() const noexcept { return static_cast<MPI_Status*>(passed_); }

    // Call after the MPI call, and only if need() was called before it.
    Envelope envelope(int i = 0) const noexcept;
    uint64_t bytes(int i = 0) const noexcept { return envelope(i).bytes; }
    bool is_cancelled(int i = 0) const noexcept;
    int error(int i) const noexcept;

 private:
    MPI_Status get(int i) const noexcept;
    bool are_ignored() const noexcept {
        if (language_ == Language::fortran) return are_ignored_in_fortran();
        return passed_ == MPI_STATUS_IGNORE || passed_ == MPI_STATUSES_IGNORE;
    }
    bool are_ignored_in_fortran() const noexcept;
    bool take_ours(int count) noexcept;

    static constexpr int few = 8;
    void* passed_ = nullptr;
    Language language_ = Language::c;
    CallArray<MPI_Status, few> own_;
};

// True for MPI_IN_PLACE.
bool is_in_place(const void* buffer, Language language) noexcept;

// Size of `count` elements in bytes; 0 for MPI_DATATYPE_NULL, which MPI allows in ignored arguments.
uint64_t bytes_of(int64_t count, MPI_Datatype type) noexcept;

// Ranks and tags as in a trace: see ovni/mpi_events.h.
inline int32_t peer_in_trace(int rank) noexcept {
    return rank == MPI_ANY_SOURCE ? OVNI_MPI_ANY : rank == MPI_PROC_NULL ? OVNI_MPI_NOBODY : rank;
}
inline int32_t tag_in_trace(int tag) noexcept {
    return tag == MPI_ANY_TAG ? OVNI_MPI_ANY : tag;
}

// Fortran passes the length and pads with blanks; in C `length` is not used.
std::string_view text_of(const void* text, size_t length, Language language) noexcept;

}  // namespace ovni::mpi
