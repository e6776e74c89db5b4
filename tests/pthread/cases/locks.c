/* Read-write locks, spin locks, barriers, and functions that are called once. */
#include "cases.h"

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static atomic_int step;

static void* write_for_a_while(void* unused) {
    (void)unused;
    show("write lock", pthread_rwlock_wrlock(&rwlock));
    atomic_store(&step, 1);
    becomes(&step, 2);
    nap(20);
    show("unlock", pthread_rwlock_unlock(&rwlock));
    return NULL;
}
static void* read_for_a_while(void* unused) {
    (void)unused;
    show("read lock", pthread_rwlock_rdlock(&rwlock));
    atomic_store(&step, 1);
    nap(20);
    show("unlock", pthread_rwlock_unlock(&rwlock));
    return NULL;
}
static void behind_writer(void) {
    atomic_store(&step, 0);
    pthread_t writer = started(write_for_a_while, NULL);
    becomes(&step, 1);
    struct timespec past = in(CLOCK_REALTIME, -10), wrong = wrong_time();
    struct timespec monotonic = in(CLOCK_MONOTONIC, -10);
    show("try read", pthread_rwlock_tryrdlock(&rwlock));
    show("try write", pthread_rwlock_trywrlock(&rwlock));
    show("timed read", pthread_rwlock_timedrdlock(&rwlock, &past));
    show("timed write", pthread_rwlock_timedwrlock(&rwlock, &past));
    show("clock read", pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC, &monotonic));
    show("clock write", pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &monotonic));
    show("wrong time", pthread_rwlock_timedrdlock(&rwlock, &wrong));
    show("wrong clock", pthread_rwlock_clockrdlock(&rwlock, CLOCK_TAI, &monotonic));
    atomic_store(&step, 2);
    show("read", pthread_rwlock_rdlock(&rwlock));
    show("unlock", pthread_rwlock_unlock(&rwlock));
    joined(writer);
    show("wrong time, free", pthread_rwlock_timedrdlock(&rwlock, &wrong));
    show("wrong time, free, write", pthread_rwlock_timedwrlock(&rwlock, &wrong));
    show("wrong clock, free", pthread_rwlock_clockwrlock(&rwlock, CLOCK_TAI, &monotonic));
}
static void behind_reader(void) {
    atomic_store(&step, 0);
    pthread_t reader = started(read_for_a_while, NULL);
    becomes(&step, 1);
    show("read, too", pthread_rwlock_rdlock(&rwlock));
    show("unlock", pthread_rwlock_unlock(&rwlock));
    show("write", pthread_rwlock_wrlock(&rwlock));
    show("unlock", pthread_rwlock_unlock(&rwlock));
    joined(reader);
}
static void of_its_own(void) {
    pthread_rwlock_wrlock(&rwlock);
    show("read own", pthread_rwlock_rdlock(&rwlock));
    show("write own", pthread_rwlock_wrlock(&rwlock));
    pthread_rwlock_unlock(&rwlock);
}
static void preferring_writers(void) {
    rwlock = (pthread_rwlock_t)PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
    behind_reader();
    behind_writer();
    rwlock = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
}

static long counted;
static void* count_spinning(void* unused) {
    (void)unused;
    for (int i = 0; i < 20000; ++i) {
        pthread_spin_lock(&spin);
        ++counted;
        pthread_spin_unlock(&spin);
    }
    return NULL;
}
static void spinning(void) {
    counted = 0;
    show("init", pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE));
    pthread_t other = started(count_spinning, NULL);
    count_spinning(NULL);
    joined(other);
    show("counted", counted);
    show("try", pthread_spin_trylock(&spin));
    show("try again", pthread_spin_trylock(&spin));
    show("unlock", pthread_spin_unlock(&spin));
    show("destroy", pthread_spin_destroy(&spin));
}

static atomic_int serial, others;
static void* meet(void* unused) {
    (void)unused;
    for (int i = 0; i < 50; ++i) {
        int result = pthread_barrier_wait(&barrier);
        atomic_fetch_add(result == PTHREAD_BARRIER_SERIAL_THREAD ? &serial : &others, 1);
    }
    return NULL;
}
static void meeting(void) {
    enum { threads = 5 };
    pthread_t all[threads];
    show("init", pthread_barrier_init(&barrier, NULL, threads));
    for (int i = 0; i < threads; ++i) all[i] = started(meet, NULL);
    for (int i = 0; i < threads; ++i) joined(all[i]);
    show("serial threads", atomic_load(&serial));
    show("others", atomic_load(&others));
    show("destroy", pthread_barrier_destroy(&barrier));
}
/* A thread in a barrier is not cancelled there. */
static void* meet_once(void* unused) {
    (void)unused;
    atomic_store(&step, 1);
    pthread_barrier_wait(&barrier);
    atomic_store(&step, 2);
    pthread_testcancel();
    show("not reached", 1);
    return NULL;
}
static void meeting_is_no_cancellation_point(void) {
    atomic_store(&step, 0);
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_t other = started(meet_once, NULL);
    becomes(&step, 1);
    pthread_cancel(other);
    pthread_barrier_wait(&barrier);
    show("went on", becomes(&step, 2));
    show("was cancelled", joined(other));
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_int calls;
static void called_once(void) {
    nap(10);
    atomic_fetch_add(&calls, 1);
}
static void* call_once_more(void* unused) {
    (void)unused;
    pthread_once(&once, called_once);
    if (atomic_load(&calls) != 1) show("calls", atomic_load(&calls));
    return NULL;
}
static void calling_once(void) {
    enum { threads = 4 };
    pthread_t all[threads];
    for (int i = 0; i < threads; ++i) all[i] = started(call_once_more, NULL);
    for (int i = 0; i < threads; ++i) joined(all[i]);
    show("again", pthread_once(&once, called_once));
    show("calls", atomic_load(&calls));
}
/* A function that is cancelled was not called. */
static pthread_once_t tried = PTHREAD_ONCE_INIT;
static void is_cancelled(void) {
    if (atomic_fetch_add(&calls, 1) > 0) return;
    atomic_store(&step, 1);
    for (;;) pause();
}
static void* try_once(void* unused) {
    (void)unused;
    pthread_once(&tried, is_cancelled);
    return NULL;
}
static void once_cancelled(void) {
    atomic_store(&step, 0);
    atomic_store(&calls, 0);
    pthread_t thread = started(try_once, NULL);
    becomes(&step, 1);
    pthread_cancel(thread);
    show("was cancelled", joined(thread));
    show("again", pthread_once(&tried, is_cancelled));
    show("calls", atomic_load(&calls));
}

CASES(CASE(behind_writer), CASE(behind_reader), CASE(of_its_own), CASE(preferring_writers), CASE(spinning),
      CASE(meeting), CASE(meeting_is_no_cancellation_point), CASE(calling_once), CASE(once_cancelled))
