// errno belongs to the program.
#pragma once

#include <errno.h>

namespace ovni::mpi {

class KeepErrno {
 public:
    KeepErrno() = default;
    ~KeepErrno() { errno = saved_; }
    KeepErrno(const KeepErrno&) = delete;
    KeepErrno& operator=(const KeepErrno&) = delete;

 private:
    int saved_ = errno;
};

}  // namespace ovni::mpi
