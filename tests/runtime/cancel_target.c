/* Threads that are cancelled asynchronously while they emit, and whose cleanup handlers emit as well. In C,
 * as an exception at any instruction ends a program in C++. The arguments are the numbers of rounds and
 * threads. Prints for each thread its number, how many events it emitted, and how many its cleanup handler
 * did. */
#include <ovni.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { in_cleanup = 20, most_threads = 100, milliseconds = 1000 };

struct victim {
    pthread_t thread;
    int tid;
    atomic_int number; /* that the system has for it */
    uint64_t emitted, cleaned;
};

static atomic_int begun, is_over;

static void emit(const char* mcv, uint64_t number) {
    struct ovni_ev ev = {0};
    ovni_ev_set_mcv(&ev, mcv);
    ovni_ev_set_clock(&ev, ovni_clock_now());
    ovni_payload_add(&ev, (uint8_t*)&number, sizeof number);
    ovni_ev_emit(&ev);
}

static void clean_up(void* argument) {
    struct victim* victim = argument;
    for (int i = 0; i < in_cleanup; ++i) {
        emit("OC.", victim->cleaned + 1);
        ++victim->cleaned;
    }
}

static void* emit_until_cancelled(void* argument) {
    struct victim* victim = argument;
    const char* code = victim->tid % 4 == 0 ? "OB." : "OU."; /* The second always takes the slow way. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    atomic_store(&victim->number, (int)syscall(SYS_gettid));
    ovni_thread_init(victim->tid);
    pthread_cleanup_push(clean_up, victim);
    /* NOLINTNEXTLINE(concurrency-thread-canceltype-asynchronous): just that is to be survived */
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    atomic_fetch_add(&begun, 1);
    for (;;) {
        emit(code, victim->emitted + 1);
        ++victim->emitted;
        if (victim->tid % 8 == 0 && victim->emitted % 1024 == 0) ovni_flush();
    }
    pthread_cleanup_pop(0);
    return NULL;
}

static void* emit_till_the_end(void* argument) {
    ovni_thread_init(*(int*)argument);
    for (uint64_t i = 1; !atomic_load(&is_over); ++i) emit("OD.", i);
    ovni_thread_free();
    return NULL;
}

/* pthread_cancel() sends a signal to a thread that can be cancelled, which may have disabled that when the
 * signal comes. The second two of four threads get it at any time. */
static void cancel(struct victim* victim) {
    enum { cancels = 32 };
    if (victim->tid / 2 % 2 != 0) syscall(SYS_tgkill, getpid(), atomic_load(&victim->number), cancels);
    pthread_cancel(victim->thread);
}

static void cancel_round(int round, int threads) {
    static struct victim victims[most_threads];
    atomic_store(&begun, 0);
    for (int i = 0; i < threads; ++i) {
        victims[i] = (struct victim){.tid = 1000 * (round + 1) + i};
        pthread_create(&victims[i].thread, NULL, emit_until_cancelled, &victims[i]);
    }
    while (atomic_load(&begun) < threads) usleep(milliseconds);
    usleep(3 * milliseconds);
    for (int i = 0; i < threads; ++i) cancel(&victims[i]);
    for (int i = 0; i < threads; ++i) {
        void* result = NULL;
        pthread_join(victims[i].thread, &result);
        if (result != PTHREAD_CANCELED) fprintf(stderr, "%d is not cancelled\n", victims[i].tid);
        printf("%d %lu %lu\n", victims[i].tid, victims[i].emitted, victims[i].cleaned);
    }
}

int main(int argc, char** argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 1, threads = argc > 2 ? atoi(argv[2]) : most_threads, tid = 1;
    pthread_t emitter;
    ovni_version_check();
    ovni_proc_init(1, "node.c", getpid());
    pthread_create(&emitter, NULL, emit_till_the_end, &tid);
    for (int round = 0; round < rounds; ++round) cancel_round(round, threads);
    atomic_store(&is_over, 1);
    pthread_join(emitter, NULL);
    ovni_proc_fini();
    return 0;
}
