// Sets of CPUs by the numbers of the operating system.
#pragma once

#include <mpi.h>

#include "mpi/interpose/library/private_comm.hpp"

namespace ovni::mpi {

class Cpus {
 public:
    static constexpr int most = 8192;

    // The CPUs on which the calling process may run.
    static Cpus of_process() noexcept;
    // Adds the CPUs of all ranks. Collective. Unchanged on an error.
    void unite(const PrivateComm& comm) noexcept;
    bool has(long cpu) const noexcept {
        return cpu >= 0 && cpu < most && (words_[cpu / word_bits] >> (cpu % word_bits) & 1) != 0;
    }
    // Lists them ascending, and returns their number.
    int list(int (&numbers)[most]) const noexcept;

 private:
    static constexpr int word_bits = 8 * sizeof(unsigned long);
    unsigned long words_[most / word_bits] = {};
};

}  // namespace ovni::mpi
