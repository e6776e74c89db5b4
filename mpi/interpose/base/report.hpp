// Messages to the user of a traced program, on stderr: one line per kind and process, without memory of its
// own, errno preserved.
#pragma once

#include <atomic>

namespace ovni::mpi {

struct Report {
    const char* format;  // for printf, with one %s
    std::atomic<bool> told{false};
    void once(const char* detail) noexcept;
};

}  // namespace ovni::mpi
