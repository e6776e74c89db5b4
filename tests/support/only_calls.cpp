// Part of tests whose programs shall record their calls of MPI and ovni alone. OVNI_TEST_ALL_SENSES in the
// environment lets these tests, too, record what is recorded by default: those that count streams fail then.
#include <cstdlib>

namespace {

[[gnu::constructor]] void record_only_calls() {
    if (getenv("OVNI_TEST_ALL_SENSES")) return;
    setenv("OVNI_THREADS", "mpi", 1);
    setenv("OVNI_PTHREAD", "off", 1);
    setenv("OVNI_OPENMP", "off", 1);
}

}  // namespace
