// An MPI program that records by itself through libovni, as parallel runtimes do:
//
//     with_libovni before|late|after|threads|early
//
// before, after: it sets libovni up before or after MPI_Init. late: before it, but begins to run after it.
// threads: it sets the process up before MPI_Init, but only its worker threads have streams of their own
// making. early: it ends its stream before MPI_Finalize. With or without the tracing of MPI it prints nothing
// and exits 0.
#include <mpi.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <thread>

#include "ovni.h"

namespace {

void emit(const char* code) {
    ovni_ev event{};
    ovni_ev_set_clock(&event, ovni_clock_now());
    ovni_ev_set_mcv(&event, code);
    ovni_ev_emit(&event);
}

void begin_process() {
    ovni_version_check();
    std::string loom = "program." + std::to_string(getpid());
    ovni_proc_init(3, loom.c_str(), getpid());
}

void open_thread() {
    ovni_thread_init(static_cast<pid_t>(syscall(SYS_gettid)));
    ovni_add_cpu(0, 0);
}

void start_running() {
    ovni_ev event{};
    ovni_ev_set_clock(&event, ovni_clock_now());
    ovni_ev_set_mcv(&event, "OHx");
    int32_t cpu = 0, creator = -1;
    uint64_t tag = 0;
    ovni_payload_add(&event, reinterpret_cast<uint8_t*>(&cpu), sizeof cpu);
    ovni_payload_add(&event, reinterpret_cast<uint8_t*>(&creator), sizeof creator);
    ovni_payload_add(&event, reinterpret_cast<uint8_t*>(&tag), sizeof tag);
    ovni_ev_emit(&event);
}

void begin_thread() {
    open_thread();
    start_running();
}

void end_thread() {
    emit("OHe");
    ovni_flush();
    ovni_thread_free();
}

void work() {
    emit("OB.");
    MPI_Pcontrol(1, "work");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(0);
    emit("OB.");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(1, nullptr);
    MPI_Pcontrol(-1, "work");
    emit("OB.");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    std::string when = argv[1];
    if (when != "after") begin_process();
    if (when == "before" || when == "early") begin_thread();
    if (when == "late") open_thread();
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (when == "late") start_running();
    if (when == "after") {
        begin_process();
        begin_thread();
    }
    if (when == "threads") {
        std::thread worker([] {
            begin_thread();
            work();
            end_thread();
        });
        worker.join();
    } else {
        work();
    }
    if (when == "early") {
        end_thread();
        ovni_proc_fini();
    }
    MPI_Finalize();
    if (when == "before" || when == "late" || when == "after") end_thread();
    if (when != "early") ovni_proc_fini();
    return 0;
}
