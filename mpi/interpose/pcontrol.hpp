// A call of MPI_Pcontrol: chains of --control see it first, then its level takes effect. `text` may be any
// value, because callers may leave the argument out.
#pragma once

#include "mpi/interpose/base/foreign_string.hpp"

namespace ovni::mpi {

class ControlCall {
 public:
    ControlCall(int level, const void* text) noexcept;
    // A call in Fortran. Its text has a length, unless the caller used the interface of the C function.
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
