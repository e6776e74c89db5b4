/* Unusual moments: before main and behind exit, in fork handlers, in the child of a fork, in handlers that
 * jump away, and in the program's own allocator. */
#include <setjmp.h>

#include "cases.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t semaphore;
static atomic_int step;

static void* hold(void* milliseconds) {
    pthread_mutex_lock(&mutex);
    atomic_store(&step, 1);
    nap((long)(intptr_t)milliseconds);
    pthread_mutex_unlock(&mutex);
    return NULL;
}
static long lock_behind_another(void) {
    atomic_store(&step, 0);
    pthread_t thread = started(hold, (void*)(intptr_t)10);
    becomes(&step, 1);
    int error = pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    joined(thread);
    return error;
}

static long before_main = -1;
__attribute__((constructor)) static void construct(void) {
    before_main = lock_behind_another();
}
__attribute__((destructor)) static void destruct(void) {
    current_case = "destructor";
    show("lock", lock_behind_another());
}
static void at_exit(void) {
    current_case = "at exit";
    show("lock", lock_behind_another());
}

static void in_constructor(void) {
    show("lock", before_main);
    atexit(at_exit);
}

static void lock_both(void) {
    pthread_mutex_lock(&mutex);
}
static void unlock_both(void) {
    pthread_mutex_unlock(&mutex);
}
static long status_of(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}
static void in_fork_handlers(void) {
    static int is_set = 0;
    if (!is_set++) pthread_atfork(lock_both, unlock_both, unlock_both);
    atomic_store(&step, 0);
    pthread_t holder = started(hold, (void*)(intptr_t)20);
    becomes(&step, 1);
    pid_t child = fork();
    if (child == 0) _exit((int)(10 + lock_behind_another()));
    show("child", status_of(child));
    show("parent", pthread_mutex_lock(&mutex));
    pthread_mutex_unlock(&mutex);
    joined(holder);
}
/* The lock that another thread held stays held in the child. */
static pthread_mutex_t held_at_fork = PTHREAD_MUTEX_INITIALIZER;
static void* fork_beside(void* unused) {
    (void)unused;
    pid_t child = fork();
    if (child == 0) {
        struct timespec soon = in(CLOCK_REALTIME, 10);
        int error = pthread_mutex_timedlock(&held_at_fork, &soon);
        exit(error == ETIMEDOUT ? 20 : 30);
    }
    show("child", status_of(child));
    return NULL;
}
static void held_in_child(void) {
    fflush(stdout);
    pthread_mutex_lock(&held_at_fork);
    joined(started(fork_beside, NULL));
    pthread_mutex_unlock(&held_at_fork);
}
static void grandchildren(void) {
    pid_t child = fork();
    if (child == 0) {
        lock_behind_another();
        pid_t grandchild = fork();
        if (grandchild == 0) _exit((int)(40 + lock_behind_another()));
        _exit((int)status_of(grandchild));
    }
    show("child", status_of(child));
}

static sigjmp_buf away;
static void jump(int signal) {
    (void)signal;
    siglongjmp(away, 1);
}
static void jumped_out_of_a_wait(void) {
    sem_init(&semaphore, 0, 0);
    struct sigaction action = {.sa_handler = jump};
    sigaction(SIGALRM, &action, NULL);
    for (volatile int i = 0; i < 5; ++i) {
        if (sigsetjmp(away, 1) == 0) {
            ualarm(5000, 0);
            for (;;) sem_wait(&semaphore);
        }
    }
    show("lock", lock_behind_another());
}
static void* exit_behind_jumps(void* unused) {
    (void)unused;
    jumped_out_of_a_wait();
    pthread_exit(&step);
}
static void exits_behind_jumps(void) {
    sigset_t alarm;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    pthread_t thread = started(exit_behind_jumps, NULL);
    pthread_sigmask(SIG_BLOCK, &alarm, NULL);
    void* value = NULL;
    pthread_join(thread, &value);
    pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
    show("value", value == &step);
}

CASES(CASE(in_constructor), CASE(in_fork_handlers), CASE(held_in_child), CASE(grandchildren),
      CASE(jumped_out_of_a_wait), CASE(exits_behind_jumps))
