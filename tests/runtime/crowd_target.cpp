// Many threads, each with a stream of its own and some numbered events.
//     runtime_crowd_target AT_ONCE ROUNDS EVENTS
// In each round so many threads are there at once; then they end, half of them without ovni_thread_free().
#include <unistd.h>

#include <barrier>
#include <cstdlib>
#include <thread>
#include <vector>

#include "ovni.h"
#include "ovni/emit.hpp"

int main(int, char** argv) {
    int at_once = atoi(argv[1]), rounds = atoi(argv[2]), events = atoi(argv[3]);
    ovni_proc_init(1, "crowd", getpid());
    for (int round = 0; round < rounds; ++round) {
        std::barrier all(at_once);
        std::vector<std::thread> team;
        team.reserve(static_cast<size_t>(at_once));
        for (int t = 0; t < at_once; ++t)
            team.emplace_back([&all, tid = 1 + round * at_once + t, events] {
                ovni_thread_init(tid);
                if (tid == 1) ovni_add_cpu(0, 0);
                all.arrive_and_wait();
                ovni::emit("OHx", -1, -1, uint64_t{0});
                for (int i = 1; i <= events; ++i) ovni::emit("OB.", i, tid);
                ovni::emit("OHe");
                if (tid % 2) ovni_thread_free();
            });
        for (std::thread& thread : team) thread.join();
    }
    ovni_proc_fini();
    return 9;
}
