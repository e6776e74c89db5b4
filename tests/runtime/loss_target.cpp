// Emits numbered events from several threads, with pauses and definitions of task types among them.
//     runtime_loss_target THREADS EVENTS [SECONDS | forgotten | ended SIGNAL]
// After a quarter of the events the first thread stops its parent, which is to be ovnirun; a child lets that
// go on after a while. `forgotten`: as if it had not drained for long, and it goes on only after all events.
// `ended`: the program gets a signal meanwhile, whose handler emits and ends it.
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "ovni.h"
#include "ovni/emit.hpp"
#include "ring/session.hpp"

namespace {

void define_type(uint32_t id) {
    ovni_ev ev{};
    ovni_ev_set_mcv(&ev, "VYc");
    ovni_ev_set_clock(&ev, ovni_clock_now());
    uint8_t data[8] = {0, 0, 0, 0, 't', 'y', 'p', 0};
    memcpy(data, &id, sizeof id);
    ovni_ev_jumbo_emit(&ev, data, sizeof data);
}

bool is_stopped(const std::filesystem::path& task) {
    std::string text;
    std::getline(std::ifstream(task / "stat"), text);
    size_t name_end = text.rfind(") ");
    return name_end == std::string::npos || text[name_end + 2] == 'T';
}

// On a busy machine its threads may go on for long before the signal comes to them.
void stop(pid_t process) {
    kill(process, SIGSTOP);
    for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task"))
        while (!is_stopped(task)) usleep(1000);
}

bool is_forgotten(const char* seconds) {
    return strcmp(seconds, "forgotten") == 0;
}

void be_ended(pid_t parent, int signal) {
    pid_t process = getpid(), thread = gettid();
    struct sigaction action {};
    action.sa_handler = [](int) {
        ovni::emit("OHp");
        _exit(42);
    };
    sigaction(signal, &action, nullptr);
    if (fork() != 0) return;
    usleep(500'000);
    tgkill(process, thread, signal);
    usleep(500'000);
    kill(parent, SIGCONT);
    _exit(0);
}

void stop_parent(const char* seconds, const char* signal) {
    pid_t parent = getppid();
    stop(parent);
    if (signal) return be_ended(parent, atoi(signal));
    if (is_forgotten(seconds)) {
        ovni::writer::Session::open(getenv("OVNI_SESSION")).header().heartbeat = 0;
        return;
    }
    if (fork() != 0) return;
    usleep(static_cast<useconds_t>(1e6 * atof(seconds)));
    kill(parent, SIGCONT);
    _exit(0);
}

}  // namespace

int main(int argc, char** argv) {
    int threads = atoi(argv[1]);
    uint64_t events = strtoull(argv[2], nullptr, 10);
    ovni_proc_init(1, "losses", getpid());
    std::atomic<int> cpus_told{0};
    std::vector<std::thread> team;
    for (int t = 0; t < threads; ++t)
        team.emplace_back([=, &cpus_told] {
            ovni_thread_init(getpid() + t);
            ovni_thread_require("nosv", "2.0.0");
            if (t == 0)
                for (int cpu = 0; cpu < threads; ++cpu) ovni_add_cpu(cpu, cpu);
            if (t == 0) cpus_told = 1;
            while (!cpus_told) std::this_thread::yield();
            ovni::emit("OHx", t, -1, uint64_t{0});
            for (uint64_t i = 1; i <= events; ++i) {
                ovni::emit("OB.", i);
                if (t == 0 && argc > 3 && i == events / 4) stop_parent(argv[3], argc > 4 ? argv[4] : nullptr);
                if (i % 20'000 != 0) continue;
                define_type(static_cast<uint32_t>(8 * i) + static_cast<uint32_t>(t));
                ovni::emit("OHp");
                ovni::emit("OHr");
            }
            ovni::emit("OHe");
            if (argc > 3 && is_forgotten(argv[3])) kill(getppid(), SIGCONT);
            ovni_thread_free();
        });
    for (std::thread& thread : team) thread.join();
    ovni_proc_fini();
    return 9;
}
