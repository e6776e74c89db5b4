/* The main thread ends before the process. The first word says how: "exits" while another thread emits,
 * "leaves" without a word to the C library, "is killed" by the system. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <ovni.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
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

/* A filter ends the calling thread for a harmless system call. */
static void be_killed(void) {
    struct sock_filter rows[] = {{BPF_LD | BPF_W | BPF_ABS, 0, 0, 0},
                                 {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_getppid},
                                 {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_KILL_THREAD},
                                 {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
    struct sock_fprog filter = {sizeof rows / sizeof *rows, rows};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
    syscall(SYS_getppid);
}

int main(int argc, char** argv) {
    pthread_t thread;
    ovni_version_check();
    ovni_proc_init(1, "node.c", getpid());
    ovni_thread_init(1);
    emit("OB.");
    const char* how = argc > 1 ? argv[1] : "";
    if (strcmp(how, "leaves") == 0) syscall(SYS_exit, status);
    if (strcmp(how, "is killed") == 0) be_killed();
    ovni_thread_free();
    pthread_create(&thread, NULL, emit_later, NULL);
    pthread_exit(NULL);
}
