// What the user of a traced program has to know goes to stderr: one line per kind and process, without
// memory of its own, errno preserved.
#pragma once

#include <atomic>

namespace ovni::mpi {

struct Report {
    const char* format;  // of printf, with one %s
    std::atomic<bool> told{false};
    void once(const char* detail) noexcept;
};

}  // namespace ovni::mpi
