// Every rank takes itself for a node of its own and prints "RANK NAME".
#include <mpi.h>

#include <cstdio>

#include "mpi/interpose/job/host.hpp"

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    {
        using namespace ovni::mpi;
        PrivateComm job = PrivateComm::of_world();
        PrivateComm alone = job.split(job.rank());
        std::printf("%d %s\n", job.rank(), Host::among(job, alone).name);
    }
    MPI_Finalize();
    return 0;
}
