// Part of tests whose programs shall record their calls of MPI and ovni alone. OVNI_THREADS=program,
// OVNI_PTHREAD=contended and OVNI_OPENMP=auto in the environment let these tests record all.
#include <cstdlib>

namespace {

[[gnu::constructor]] void record_only_calls() {
    constexpr int keep = 0;
    setenv("OVNI_THREADS", "mpi", keep);
    setenv("OVNI_PTHREAD", "off", keep);
    setenv("OVNI_OPENMP", "off", keep);
}

}  // namespace
