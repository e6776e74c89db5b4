// Pauses and regions by MPI_Pcontrol, one scenario per word of the command line:
//
//     pause SCENARIO...
//
// Every scenario leaves recording on and no region open, so that they can follow each other;
// `finalize_paused` and `leave_open` come last.
#include <mpi.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <thread>

namespace {

void barrier() {
    MPI_Barrier(MPI_COMM_WORLD);
}

void regions() {
    MPI_Pcontrol(1, "outer");
    MPI_Pcontrol(1, "inner");
    barrier();
    MPI_Pcontrol(-1, "inner");
    MPI_Pcontrol(-1, "outer");
    MPI_Pcontrol(-1, "outer");  // not open any more
}

void crossing() {
    for (const char* name : {"a", "b", "c"}) MPI_Pcontrol(1, name);
    for (const char* name : {"a", "b", "c"}) MPI_Pcontrol(-1, name);
}

void off_and_on() {
    barrier();
    MPI_Pcontrol(0);
    for (int i = 0; i < 10; ++i) barrier();
    MPI_Pcontrol(0);
    MPI_Pcontrol(1, nullptr);
    barrier();
}

void open_across() {
    MPI_Pcontrol(1, "closed in the pause");
    MPI_Pcontrol(1, "across");
    MPI_Pcontrol(0);
    MPI_Pcontrol(-1, "closed in the pause");
    barrier();
    MPI_Pcontrol(1, "ends the pause");
    barrier();
    MPI_Pcontrol(-1, "ends the pause");
    MPI_Pcontrol(-1, "across");
}

// Below chains that record from the second barrier on, and before the first.
void again() {
    MPI_Pcontrol(1, "stays");
    MPI_Pcontrol(1, "again");
    barrier();
    MPI_Pcontrol(-1, "again");
    MPI_Pcontrol(1, "again");
    barrier();
    MPI_Pcontrol(-1, "again");
    MPI_Pcontrol(-1, "stays");
}

void flush() {
    barrier();
    MPI_Pcontrol(2);
    barrier();
}

void other_levels() {
    MPI_Pcontrol(7, "nothing");
    MPI_Pcontrol(-3);
    MPI_Pcontrol(1, reinterpret_cast<void*>(1));
    MPI_Pcontrol(-1, reinterpret_cast<void*>(~0UL));
    MPI_Pcontrol(1, "not\nprintable");
    MPI_Pcontrol(1, "");
}

// A thread waits inside a receive with a region open while the main thread pauses and resumes twice.
void silent_thread() {
    int self, token = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &self);
    std::atomic<bool> inside{false};
    std::thread waiting([&] {
        MPI_Pcontrol(1, "thread");
        inside = true;
        int got;
        MPI_Recv(&got, 1, MPI_INT, self, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Pcontrol(-1, "thread");
        MPI_Pcontrol(1, "open at the end of the thread");
    });
    while (!inside) std::this_thread::yield();
    for (int i = 0; i < 2; ++i) {
        MPI_Pcontrol(0);
        MPI_Pcontrol(1, nullptr);
    }
    MPI_Send(&token, 1, MPI_INT, self, 5, MPI_COMM_WORLD);
    waiting.join();
}

// Several threads open, close, pause and resume at the same time.
void storm() {
    auto work = [](int seed) {
        int flag;
        for (int i = 0; i < 500; ++i) {
            MPI_Pcontrol(1, "outer");
            MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
            MPI_Request none = MPI_REQUEST_NULL;
            MPI_Pcontrol(1, "inner");
            MPI_Wait(&none, MPI_STATUS_IGNORE);
            if ((i + seed) % 7 == 0) MPI_Pcontrol(0);
            if ((i + seed) % 7 == 3) MPI_Pcontrol(1, nullptr);
            MPI_Pcontrol(-1, i % 2 ? "outer" : "inner");
            MPI_Test(&none, &flag, MPI_STATUS_IGNORE);
            MPI_Pcontrol(-1, i % 2 ? "inner" : "outer");
        }
    };
    std::thread threads[] = {std::thread(work, 1), std::thread(work, 2), std::thread(work, 3)};
    for (std::thread& thread : threads) thread.join();
    MPI_Pcontrol(1, nullptr);
}

// More pauses than a thread can be behind by.
void many() {
    for (int i = 0; i < 1000; ++i) {
        MPI_Pcontrol(0);
        MPI_Pcontrol(1, nullptr);
    }
}

void finalize_paused() {
    MPI_Pcontrol(1, "open at the end");
    MPI_Pcontrol(0);
}

void leave_open() {
    MPI_Pcontrol(1, "left");
    MPI_Pcontrol(1, "open");
}

const std::map<std::string, void (*)()> scenarios = {
    {"regions", regions},
    {"crossing", crossing},
    {"off_and_on", off_and_on},
    {"open_across", open_across},
    {"again", again},
    {"flush", flush},
    {"other_levels", other_levels},
    {"silent_thread", silent_thread},
    {"storm", storm},
    {"many", many},
    {"finalize_paused", finalize_paused},
    {"leave_open", leave_open},
};

}  // namespace

int main(int argc, char** argv) {
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    for (int i = 1; i < argc; ++i) {
        auto scenario = scenarios.find(argv[i]);
        if (scenario == scenarios.end()) return 2;
        scenario->second();
    }
    MPI_Finalize();
    return 0;
}
