/* Mutexes of every kind. */
#include "cases.h"

static pthread_mutex_t mutex_of(int type, int robust, int protocol, int shared) {
    pthread_mutex_t mutex;
    pthread_mutexattr_t about;
    pthread_mutexattr_init(&about);
    pthread_mutexattr_settype(&about, type);
    pthread_mutexattr_setrobust(&about, robust);
    pthread_mutexattr_setprotocol(&about, protocol);
    pthread_mutexattr_setpshared(&about, shared);
    memset(&mutex, 0, sizeof mutex);
    pthread_mutex_init(&mutex, &about);
    pthread_mutexattr_destroy(&about);
    return mutex;
}

static pthread_mutex_t tested;
static atomic_int step;

static void* hold_for_a_while(void* unused) {
    (void)unused;
    show("lock", pthread_mutex_lock(&tested));
    atomic_store(&step, 1);
    becomes(&step, 2);
    nap(20);
    show("unlock", pthread_mutex_unlock(&tested));
    return NULL;
}
static void* unlock(void* unused) {
    (void)unused;
    show("unlock by another", pthread_mutex_unlock(&tested));
    return NULL;
}
static void* die_with_it(void* unused) {
    (void)unused;
    pthread_mutex_lock(&tested);
    return NULL;
}

static void waits(void) {
    atomic_store(&step, 0);
    pthread_t holder = started(hold_for_a_while, NULL);
    becomes(&step, 1);
    show("try while held", pthread_mutex_trylock(&tested));
    atomic_store(&step, 2);
    show("lock behind it", pthread_mutex_lock(&tested));
    joined(holder);
    show("unlock behind it", pthread_mutex_unlock(&tested));
}
static void times_out(void) {
    atomic_store(&step, 0);
    pthread_t holder = started(hold_for_a_while, NULL);
    becomes(&step, 1);
    struct timespec past = in(CLOCK_REALTIME, -10);
    show("timed lock, time is over", pthread_mutex_timedlock(&tested, &past));
    past = in(CLOCK_MONOTONIC, -10);
    show("clock lock, time is over", pthread_mutex_clocklock(&tested, CLOCK_MONOTONIC, &past));
    struct timespec wrong = wrong_time();
    show("timed lock, wrong time", pthread_mutex_timedlock(&tested, &wrong));
    show("clock lock, wrong clock", pthread_mutex_clocklock(&tested, CLOCK_PROCESS_CPUTIME_ID, &past));
    atomic_store(&step, 2);
    joined(holder);
    show("timed lock, wrong time, free", pthread_mutex_timedlock(&tested, &wrong));
    pthread_mutex_unlock(&tested);
    show("clock lock, wrong clock, free", pthread_mutex_clocklock(&tested, CLOCK_TAI, &past));
    show("timed lock, time is over, free", pthread_mutex_timedlock(&tested, &past));
    pthread_mutex_unlock(&tested);
}

static void normal(void) {
    tested = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    waits();
    times_out();
    show("destroy", pthread_mutex_destroy(&tested));
}
static void recursive(void) {
    tested = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    waits();
    for (int i = 0; i < 3; ++i) show("lock again", pthread_mutex_lock(&tested));
    show("try again", pthread_mutex_trylock(&tested));
    for (int i = 0; i < 4; ++i) show("unlock", pthread_mutex_unlock(&tested));
    show("unlock once too often", pthread_mutex_unlock(&tested));
    times_out();
}
static void error_checking(void) {
    tested = (pthread_mutex_t)PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
    waits();
    show("unlock a free one", pthread_mutex_unlock(&tested));
    pthread_mutex_lock(&tested);
    struct timespec soon = in(CLOCK_REALTIME, 1000);
    show("lock again", pthread_mutex_lock(&tested));
    show("try again", pthread_mutex_trylock(&tested));
    show("timed lock again", pthread_mutex_timedlock(&tested, &soon));
    joined(started(unlock, NULL));
    show("unlock", pthread_mutex_unlock(&tested));
    times_out();
}
static void adaptive(void) {
    tested = (pthread_mutex_t)PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
    waits();
    times_out();
}
static void robust_of(int type, int protocol) {
    tested = mutex_of(type, PTHREAD_MUTEX_ROBUST, protocol, PTHREAD_PROCESS_PRIVATE);
    waits();
    joined(started(die_with_it, NULL));
    show("owner is dead", pthread_mutex_lock(&tested));
    if (type == PTHREAD_MUTEX_ERRORCHECK) show("again", pthread_mutex_lock(&tested));
    show("consistent", pthread_mutex_consistent(&tested));
    show("unlock", pthread_mutex_unlock(&tested));
    show("told once", pthread_mutex_lock(&tested));
    show("unlock", pthread_mutex_unlock(&tested));
    joined(started(die_with_it, NULL));
    show("owner is dead, try", pthread_mutex_trylock(&tested));
    show("not consistent", pthread_mutex_unlock(&tested));
    show("lost", pthread_mutex_lock(&tested));
    show("lost, try", pthread_mutex_trylock(&tested));
    struct timespec soon = in(CLOCK_REALTIME, 1000);
    show("lost, timed", pthread_mutex_timedlock(&tested, &soon));
}
static void robust(void) {
    robust_of(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE);
    robust_of(PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_NONE);
    robust_of(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_NONE);
    robust_of(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT);
}

/* The owner dies while another thread waits. */
static void* wait_for_the_dead(void* unused) {
    (void)unused;
    atomic_store(&step, 2);
    show("owner dies meanwhile", pthread_mutex_lock(&tested));
    pthread_mutex_consistent(&tested);
    show("unlock", pthread_mutex_unlock(&tested));
    return NULL;
}
static void* die_later(void* unused) {
    (void)unused;
    pthread_mutex_lock(&tested);
    atomic_store(&step, 1);
    becomes(&step, 2);
    nap(20);
    return NULL;
}
static void robust_wait(void) {
    tested = mutex_of(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE, PTHREAD_PROCESS_PRIVATE);
    atomic_store(&step, 0);
    pthread_t owner = started(die_later, NULL);
    becomes(&step, 1);
    pthread_t waiter = started(wait_for_the_dead, NULL);
    joined(owner);
    joined(waiter);
}
static void inheriting(void) {
    tested =
        mutex_of(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_INHERIT, PTHREAD_PROCESS_PRIVATE);
    waits();
    times_out();
    tested = mutex_of(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_INHERIT,
                      PTHREAD_PROCESS_PRIVATE);
    pthread_mutex_lock(&tested);
    show("lock again", pthread_mutex_lock(&tested));
    show("try again", pthread_mutex_trylock(&tested));
    show("unlock", pthread_mutex_unlock(&tested));
}
static void protecting(void) {
    tested =
        mutex_of(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_PROTECT, PTHREAD_PROCESS_PRIVATE);
    int ceiling = 0;
    show("ceiling is known", pthread_mutex_getprioceiling(&tested, &ceiling));
    int error = pthread_mutex_lock(&tested);
    show("lock", error);
    if (error == 0) show("unlock", pthread_mutex_unlock(&tested));
    show("try", error = pthread_mutex_trylock(&tested));
    if (error == 0) show("unlock", pthread_mutex_unlock(&tested));
}
static void shared_between_processes(void) {
    struct shared {
        pthread_mutex_t mutex;
        int count;
        atomic_int counted;
    }* shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    shared->mutex =
        mutex_of(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE, PTHREAD_PROCESS_SHARED);
    shared->count = 0;
    pid_t child = fork();
    for (int i = 0; i < 20000; ++i) {
        pthread_mutex_lock(&shared->mutex);
        ++shared->count;
        pthread_mutex_unlock(&shared->mutex);
    }
    if (child == 0) {
        becomes(&shared->counted, 1);
        pthread_mutex_lock(&shared->mutex);
        _exit(3);
    }
    int status = 0;
    atomic_store(&shared->counted, 1);
    waitpid(child, &status, 0);
    show("child", WEXITSTATUS(status));
    show("child died with it", pthread_mutex_lock(&shared->mutex));
    show("count", shared->count);
    show("consistent", pthread_mutex_consistent(&shared->mutex));
    show("unlock", pthread_mutex_unlock(&shared->mutex));
    munmap(shared, sizeof *shared);
}
static void keeps_errno(void) {
    tested = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    errno = 77;
    waits();
    show("errno", errno);
}
static void wrong_kind(void) {
    tested = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    tested.__data.__kind = 0x7f;
    show("lock", pthread_mutex_lock(&tested));
    show("try", pthread_mutex_trylock(&tested));
}

CASES(CASE(normal), CASE(recursive), CASE(error_checking), CASE(adaptive), CASE(robust), CASE(robust_wait),
      CASE(inheriting), CASE(protecting), CASE(shared_between_processes), CASE(keeps_errno), CASE(wrong_kind))
