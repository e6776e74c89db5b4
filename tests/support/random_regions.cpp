#include "tests/support/random_regions.hpp"

#include <random>
#include <string>
#include <vector>

#include "ovni/mpi_events.h"

namespace ovni::test {

namespace {

class Program {
 public:
    Program(StreamBuilder& stream, uint32_t seed) : stream_(stream), random_(seed) {}

    void run(int rank) {
        stream_.mark(OVNI_MPI_REGION_MARK, "stack", "region", {{7, "solve"}, {8, "halo"}, {9, "output"}});
        stream_.starts(next(), rank % 2).event("MUi", next()).event("MUI", next());
        for (int step = 0; step < 6; ++step) {
            visit(7, 3);
            barrier();
            if (step % 3 == 1) visit(9, 0);
        }
        stream_.event("MUf", next()).event("MUF", next()).ends(next());
    }

 private:
    static constexpr int longest = 40;

    int64_t next() { return now_ += 1 + static_cast<int64_t>(random_() % longest); }
    bool coin() { return random_() % 2 == 0; }
    void barrier() { stream_.event("MCb", next()).event("MCB", next()); }
    void visit(int64_t region, int depth) {
        stream_.event("OM[", next(), {i64(region), OVNI_MPI_REGION_MARK});
        if (coin()) barrier();
        if (depth > 0 && coin()) visit(coin() ? 7 : 8, depth - 1);
        if (depth > 0 && coin()) visit(8, depth - 1);
        stream_.event("OM]", next(), {i64(region), OVNI_MPI_REGION_MARK});
    }

    StreamBuilder& stream_;
    std::mt19937 random_;
    int64_t now_ = 1000;
};

}  // namespace

void build_regions(TraceBuilder& trace, uint32_t seed, int ranks) {
    for (int rank = 0; rank < ranks; ++rank)
        Program(trace.thread({.loom = "node" + std::to_string(rank / 2) + ".0",
                              .pid = 10 + rank,
                              .tid = 10 + rank,
                              .rank = rank,
                              .nranks = ranks,
                              .cpus = {{0, 0}, {1, 1}},
                              .require = {{"ovni", "1.1.0"}, {"mpi", "1.1.0"}}}),
                seed + static_cast<uint32_t>(rank))
            .run(rank);
}

}  // namespace ovni::test
