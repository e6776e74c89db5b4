// What a call of MPI_Pcontrol says to the tracer: first that it was called, to chains of --control, then what
// its level means. The text may be none: whatever the caller left where it would be.
#pragma once

#include "mpi/interpose/foreign_string.hpp"

namespace ovni::mpi {

class ControlCall {
 public:
    ControlCall(int level, const void* text) noexcept;
    // In Fortran, where a text has a length, unless the caller took the C function for its interface.
    ControlCall(int level, const void* text, size_t length) noexcept;

    void hit() const noexcept;
    void obey() const noexcept;

 private:
    int level_;
    bool is_awaited_;
    bool takes_name_;
    bool has_text_ = false, has_name_ = false;
    ForeignString text_;
};

}  // namespace ovni::mpi
