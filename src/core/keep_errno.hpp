// The program's errno stays as it is in a scope.
#pragma once

#include <cerrno>

namespace ovni {

class KeepErrno {
 public:
    KeepErrno() noexcept : kept_(errno) {}
    ~KeepErrno() { errno = kept_; }
    KeepErrno(const KeepErrno&) = delete;
    KeepErrno& operator=(const KeepErrno&) = delete;

 private:
    const int kept_;
};

}  // namespace ovni
