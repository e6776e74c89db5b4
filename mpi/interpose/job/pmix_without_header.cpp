// A build that finds no pmix.h: ranks find each other in another way, see traced_ranks.cpp.
#include "mpi/interpose/job/pmix.hpp"

namespace ovni::mpi {

bool Pmix::open() noexcept {
    return false;
}

void Pmix::close() noexcept {}

bool Pmix::put(const char*) noexcept {
    return false;
}

bool Pmix::has(int, const char*) const noexcept {
    return false;
}

bool Pmix::ask(int, const char*, int) const noexcept {
    return false;
}

}  // namespace ovni::mpi
