// Does what stages.c does, with the name of the stage in an object.
#include <mpi.h>

#include <string>

namespace {

class Stage {
 public:
    explicit Stage(std::string name) : name_(std::move(name)) { MPI_Pcontrol(1, name_.c_str()); }
    ~Stage() { MPI_Pcontrol(-1, name_.c_str()); }
    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;

 private:
    std::string name_;
};

int solve(int value) {
    int sum = 0;
    Stage stage("solve");
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

}  // namespace

int main(int argc, char** argv) {
    int value = 1;
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    int sum = solve(value);
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return sum > 0 ? 0 : 1;
}
