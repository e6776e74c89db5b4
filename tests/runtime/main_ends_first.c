/* The main thread ends before the process. The first word says how: "exits" while another thread emits, "leaves"
 * without a word to the C library. */
#include <ovni.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { milliseconds = 1000, status = 7 };

static void emit(const char* mcv) {
    struct ovni_ev ev = {0};
    ovni_ev_set_mcv(&ev, mcv);
    ovni_ev_set_clock(&ev, ovni_clock_now());
    ovni_ev_emit(&ev);
}

static void* emit_later(void* argument) {
    ovni_thread_init(2);
    usleep(20 * milliseconds);
    emit("OB.");
    ovni_thread_free();
    puts("done");
    return argument;
}

int main(int argc, char** argv) {
    pthread_t thread;
    ovni_version_check();
    ovni_proc_init(1, "node.c", getpid());
    ovni_thread_init(1);
    emit("OB.");
    if (argc > 1 && strcmp(argv[1], "leaves") == 0) syscall(SYS_exit, status);
    ovni_thread_free();
    pthread_create(&thread, NULL, emit_later, NULL);
    pthread_exit(NULL);
}
