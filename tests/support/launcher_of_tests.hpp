// The MPI whose programs and launcher a case uses.
#pragma once

#include <cstdlib>
#include <string>

namespace ovni::test {

// The family of a second MPI, whose programs and launcher are to be used; "" for the MPI of the build.
inline std::string other_mpi() {
    const char* family = std::getenv("OVNI_TEST_MPI");
    return family ? family : "";
}

inline std::string launcher() {
    return other_mpi().empty() ? "mpirun" : "mpiexec." + other_mpi();
}

}  // namespace ovni::test
