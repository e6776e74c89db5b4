// writer-bench: emission through the headers and the C API of the library, and what it is compared with.
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <iterator>

#include "ovni.h"
#include "ovni/emit.hpp"
#include "tests/bench/writer/command_line.hpp"
#include "tests/bench/writer/floors.hpp"

namespace ovni::bench {

namespace {

void open_process() {
    ovni_version_check();
    ovni_proc_init(1, "node0001.bench", ::getpid());
}

// A stream that the emulator accepts.
struct Thread {
    void begin() {
        ovni_thread_init(::gettid());
        ovni_thread_require("ovni", OVNI_MODEL_VERSION);
        static std::atomic<bool> cpus_are_given{false};
        if (!cpus_are_given.exchange(true)) ovni_add_cpu(0, 0);
        emit("OHx", int32_t{-1}, int32_t{-1}, uint64_t{0});
    }
    void end() {
        emit("OHe");
        ovni_thread_free();
    }
};

struct ReadLibraryClock : Thread {
    void operator()(uint64_t) { keep(now()); }
};

struct Emit0 : Thread {
    [[gnu::always_inline]] void operator()(uint64_t) { emit("OB."); }
};

struct Emit16 : Thread {
    [[gnu::always_inline]] void operator()(uint64_t number) { emit("OB.", number, number); }
};

struct Api0 : Thread {
    void operator()(uint64_t) {
        ovni_ev event{};
        ovni_ev_set_clock(&event, ovni_clock_now());
        ovni_ev_set_mcv(&event, "OB.");
        ovni_ev_emit(&event);
    }
};

struct Api16 : Thread {
    void operator()(uint64_t number) {
        uint64_t payload[] = {number, number};
        ovni_ev event{};
        ovni_ev_set_clock(&event, ovni_clock_now());
        ovni_ev_set_mcv(&event, "OB.");
        ovni_payload_add(&event, reinterpret_cast<const uint8_t*>(payload), sizeof payload);
        ovni_ev_emit(&event);
    }
};

constexpr Variant variants[] = {
    {"rdtsc", 12, loops_of<ReadTsc>},
    {"rdtscp", 12, loops_of<ReadTscp>},
    {"clock_gettime", 12, loops_of<ReadMonotonic>},
    {"store-12", 12, loops_of<Store<12>>},
    {"store-28", 28, loops_of<Store<28>>},
    {"ovni-clock", 12, loops_of<ReadLibraryClock>, open_process, ovni_proc_fini},
    {"emit-0", 12, loops_of<Emit0>, open_process, ovni_proc_fini},
    {"emit-16", 28, loops_of<Emit16>, open_process, ovni_proc_fini},
    {"api-0", 12, loops_of<Api0>, open_process, ovni_proc_fini},
    {"api-16", 28, loops_of<Api16>, open_process, ovni_proc_fini},
};

}  // namespace

}  // namespace ovni::bench

int main(int argc, char** argv) {
    return ovni::bench::run_writer_bench("writer-bench", ovni::bench::variants, argc, argv);
}
