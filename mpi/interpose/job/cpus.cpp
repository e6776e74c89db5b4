#include "mpi/interpose/job/cpus.hpp"

#include <sched.h>

#include <cstring>

namespace ovni::mpi {

Cpus Cpus::of_process() noexcept {
    Cpus cpus;
    if (sched_getaffinity(0, sizeof cpus.words_, reinterpret_cast<cpu_set_t*>(cpus.words_)) != 0)
        cpus.words_[0] = 1;
    return cpus;
}

void Cpus::unite(const PrivateComm& comm) noexcept {
    Cpus all;
    if (comm.unite(words_, all.words_, static_cast<int>(std::size(words_)))) *this = all;
}

int Cpus::list(int (&numbers)[most]) const noexcept {
    int count = 0;
    for (int cpu = 0; cpu < most; ++cpu)
        if (has(cpu)) numbers[count++] = cpu;
    return count;
}

}  // namespace ovni::mpi
