// errno belongs to the program.
#pragma once

#include "mpi/interpose/streams/thread.hpp"

namespace ovni::mpi {

class KeepErrno {
 public:
    explicit KeepErrno(Thread& thread) noexcept : place_(thread.error), saved_(*place_) {}
    ~KeepErrno() { *place_ = saved_; }
    KeepErrno(const KeepErrno&) = delete;
    KeepErrno& operator=(const KeepErrno&) = delete;

 private:
    int* place_;
    int saved_;
};

}  // namespace ovni::mpi
