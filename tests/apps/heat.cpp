// A 2-D heat equation by Jacobi's method, the plate dealt to the ranks by rows:
//
//     heat [ROWS [COLUMNS [ITERATIONS]]]
//
// What it prints is the same for every number of ranks: the residual is a maximum, the checksum a sum of
// integers over the bits of all cells.
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

namespace {

class Region {
 public:
    explicit Region(const char* name) : name_(name) { MPI_Pcontrol(1, name_); }
    ~Region() { MPI_Pcontrol(-1, name_); }
    Region(const Region&) = delete;
    Region& operator=(const Region&) = delete;

 private:
    const char* name_;
};

class Plate {
 public:
    Plate(int rows, int columns) : columns_(columns + 2) {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
        MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
        first_ = static_cast<int>(int64_t{rows} * rank_ / ranks_);
        own_ = static_cast<int>(int64_t{rows} * (rank_ + 1) / ranks_) - first_;
        now_.assign(static_cast<size_t>(own_ + 2) * columns_, 0.0);
        // The upper edge of the plate is hot.
        if (rank_ == 0) std::fill_n(row(0), columns_, 100.0);
        next_ = now_;
    }

    void exchange_halo() {
        Region region("halo");
        int up = own_ > 0 && rank_ > 0 ? rank_ - 1 : MPI_PROC_NULL;
        int down = own_ > 0 && rank_ + 1 < ranks_ ? rank_ + 1 : MPI_PROC_NULL;
        MPI_Request requests[4];
        MPI_Irecv(row(0), columns_, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(row(own_ + 1), columns_, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(row(1), columns_, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(row(own_), columns_, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[3]);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    }

    void solve() {
        Region region("solve");
        residual_ = 0;
        for (int r = 1; r <= own_; ++r) {
            const double *above = row(r - 1), *here = row(r), *below = row(r + 1);
            double* to = &next_[static_cast<size_t>(r) * columns_];
            for (int c = 1; c + 1 < columns_; ++c) {
                to[c] = 0.25 * (above[c] + below[c] + here[c - 1] + here[c + 1]);
                residual_ = std::max(residual_, std::fabs(to[c] - here[c]));
            }
        }
        std::swap(now_, next_);
        // The edges of the plate stay as they are, the halo is renewed.
        if (rank_ == 0) std::fill_n(row(0), columns_, 100.0);
    }

    double residual() const {
        Region region("residual");
        double all = 0;
        MPI_Allreduce(&residual_, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        return all;
    }

    uint64_t checksum() const {
        uint64_t own = 0, all = 0;
        for (int r = 1; r <= own_; ++r) {
            for (int c = 1; c + 1 < columns_; ++c) {
                uint64_t bits;
                memcpy(&bits, &now_[static_cast<size_t>(r) * columns_ + c], sizeof bits);
                auto place = static_cast<uint64_t>(first_ + r) * static_cast<uint64_t>(columns_) +
                             static_cast<uint64_t>(c);
                own += bits * (2 * place + 1);
            }
        }
        MPI_Reduce(&own, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
        return all;
    }

 private:
    double* row(int r) { return &now_[static_cast<size_t>(r) * columns_]; }

    int rank_ = 0, ranks_ = 1, columns_, first_, own_;
    double residual_ = 0;
    std::vector<double> now_, next_;
};

int argument(int argc, char** argv, int at, int otherwise) {
    return argc > at ? std::max(1, std::atoi(argv[at])) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int rows = std::max(argument(argc, argv, 1, 64), ranks);
    Plate plate(rows, argument(argc, argv, 2, 64));
    int iterations = argument(argc, argv, 3, 20);
    double residual = 0;
    for (int i = 0; i < iterations; ++i) {
        plate.exchange_halo();
        plate.solve();
        residual = plate.residual();
    }
    uint64_t checksum = plate.checksum();
    if (rank == 0)
        std::printf("residual %.17g checksum %016llx\n", residual, static_cast<unsigned long long>(checksum));
    MPI_Finalize();
    return 0;
}
