// A function or variable of the MPI library that is looked up once.
#pragma once

#include <atomic>
#include <cstddef>

#include "mpi/interpose/library/pmpi.hpp"

namespace ovni::mpi {

class KnownSymbol {
 public:
    explicit constexpr KnownSymbol(const char* name) : name_(name) {}
    void* get() noexcept {
        void* known = found_.load(std::memory_order_acquire);
        if (!known) [[unlikely]]
            found_.store(known = find_symbol(name_), std::memory_order_release);
        return known;
    }

 private:
    const char* name_;
    std::atomic<void*> found_{nullptr};
};

// A place in a variable of the MPI library.
struct KnownPlace {
    const char* variable;
    size_t offset = 0;
};

}  // namespace ovni::mpi
