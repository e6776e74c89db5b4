// Does, on its way from MPI_Init to MPI_Finalize, what the words say; a number behind '@' is the only rank
// that does it:
//
//     clock_points WORD[@RANK]...
//
// measure (MPI_Pcontrol(3)), elsewhere (the same in another thread), barrier, sleep (a second and a half),
// exit, kill. Without tracing it does the same. Every rank prints "RANK NS NS": what it spent in MPI_Init and
// in MPI_Finalize.
#include <mpi.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <thread>

namespace {

template <class Call>
int64_t ns_of(Call call) {
    auto before = std::chrono::steady_clock::now();
    call();
    return (std::chrono::steady_clock::now() - before).count();
}

void measure() {
    MPI_Pcontrol(3);
}

void elsewhere() {
    std::thread(measure).join();
}

void barrier() {
    MPI_Barrier(MPI_COMM_WORLD);
}

void sleep() {
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
}

void exit() {
    _exit(0);
}

void kill() {
    std::raise(SIGKILL);
}

const std::map<std::string_view, void (*)()> words = {{"measure", measure}, {"elsewhere", elsewhere},
                                                      {"barrier", barrier}, {"sleep", sleep},
                                                      {"exit", exit},       {"kill", kill}};

}  // namespace

int main(int argc, char** argv) {
    int provided = 0;
    int64_t init = ns_of([&] { MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided); });
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 1; i < argc; ++i) {
        std::string_view word = argv[i];
        size_t at = word.find('@');
        auto known = words.find(word.substr(0, at));
        if (known == words.end()) return 2;
        if (at == word.npos || std::atoi(word.data() + at + 1) == rank) known->second();
    }
    int64_t finalize = ns_of([] { MPI_Finalize(); });
    std::printf("%d %lld %lld\n", rank, static_cast<long long>(init), static_cast<long long>(finalize));
    return 0;
}
