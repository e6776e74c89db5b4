// Programs with one problem each, planted with known cost:
//
//     problems NAME
//
// Each rank prints a line of JSON before it ends: how many seconds it ran, how many of them its threads lost
// to the problem, a line of the source where they did so or kept others waiting, how many messages it sent,
// and if it is to blame.
#include <mpi.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <string_view>
#include <thread>

#include "problem.hpp"

void planted::compute(int ms) {
    std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

namespace {

using namespace planted;

struct Problem {
    std::string_view name;
    void (*run)();
};
constexpr Problem problems[] = {
    {"balanced", balanced},
    {"chain", chain},
    {"deadlock", deadlock},
    {"late_sender", late_sender},
    {"lock_contention", lock_contention},
    {"message_storm", message_storm},
    {"one_writer", one_writer},
    {"polling_wait", polling_wait},
    {"polling_with_work", polling_with_work},
    {"region_imbalance", region_imbalance},
    {"slow_host", slow_host},
    {"unmarked_imbalance", unmarked_imbalance},
};

// The facts of a rank are one write, so that lines of ranks stay whole.
void print_facts(Seconds ran) {
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    std::printf(R"({"rank": %d, "host": "%s", "ran": %.6f, "lost": %.6f, "line": %d, "messages": %ld, )"
                R"("to_blame": %s})"
                "\n",
                rank, host.data(), ran.count(), facts.lost.count(), facts.line, facts.messages,
                facts.is_to_blame ? "true" : "false");
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const Clock::time_point begin = Clock::now();
    for (const Problem& problem : problems)
        if (argc > 1 && problem.name == argv[1]) problem.run();
    print_facts(Clock::now() - begin);
    MPI_Finalize();
    return 0;
}
