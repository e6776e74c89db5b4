// Calls MPI from C++: methods, templates, an inlined function.
#include "sites.h"

namespace field {

class Solver {
 public:
    [[gnu::noinline]] void step(int times);
    template <class T>
    [[gnu::noinline]] void reduce(T value);
};

void Solver::step(int times) {
    for (int i = 0; i < times; ++i) AT_IN("field::Solver::step(int)", MPI_Barrier, (MPI_COMM_WORLD));
}

template <class T>
void Solver::reduce(T value) {
    T sum{};
    AT_IN("void field::Solver::reduce<double>(double)", MPI_Allreduce,
          (&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
}

}  // namespace field

[[gnu::always_inline]] static inline void share(int& value) {
    AT_IN("share", MPI_Bcast, (&value, 1, MPI_INT, 0, MPI_COMM_WORLD));
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    field::Solver solver;
    solver.step(2);
    solver.reduce(1.0);
    int value = 3;
    share(value);
    AT(MPI_Barrier, (MPI_COMM_WORLD));
    MPI_Finalize();
}
