// Messages on stderr to the user of a traced program: one line per kind and process. Allocates nothing and
// keeps errno.
#pragma once

#include <atomic>

namespace ovni::mpi {

struct Report {
    const char* format;  // for printf, with one %s
    std::atomic<bool> is_printed{false};
    void once(const char* detail) noexcept;
};

}  // namespace ovni::mpi
