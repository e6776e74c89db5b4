/* Threads: join, detach, exit, cancel, and the functions of C11. */
#include "cases.h"

static atomic_int step;

static void* stay_a_while(void* value) {
    nap(20);
    return value;
}
static void* stay_until_told(void* value) {
    becomes(&step, 1);
    return value;
}
static void joining(void) {
    void* value = NULL;
    atomic_store(&step, 0);
    pthread_t thread = started(stay_until_told, &step);
    show("try", pthread_tryjoin_np(thread, &value));
    struct timespec past = in(CLOCK_REALTIME, -10);
    show("timed", pthread_timedjoin_np(thread, &value, &past));
    past = in(CLOCK_MONOTONIC, -10);
    show("clock", pthread_clockjoin_np(thread, &value, CLOCK_MONOTONIC, &past));
    show("wrong clock", pthread_clockjoin_np(thread, &value, CLOCK_TAI, &past));
    atomic_store(&step, 1);
    show("join", pthread_join(thread, &value));
    show("value", value == &step);
    show("join itself", pthread_join(pthread_self(), NULL));
}
static void* exit_with(void* value) {
    pthread_exit(value);
}
static void exiting(void) {
    void* value = NULL;
    pthread_join(started(exit_with, &step), &value);
    show("value", value == &step);
}
static void* detach_itself(void* unused) {
    (void)unused;
    show("detach itself", pthread_detach(pthread_self()));
    show("again", pthread_detach(pthread_self()));
    atomic_store(&step, 1);
    return NULL;
}
static void detaching(void) {
    atomic_store(&step, 0);
    started(detach_itself, NULL);
    show("was here", becomes(&step, 1));
    atomic_store(&step, 0);
    pthread_t thread = started(stay_until_told, NULL);
    show("detach", pthread_detach(thread));
    show("join", pthread_join(thread, NULL));
    atomic_store(&step, 1);
}
static void count(void* what) {
    atomic_fetch_add((atomic_int*)what, 1);
}
static void* join_another(void* other) {
    pthread_cleanup_push(count, &step);
    atomic_store(&step, 1);
    pthread_join(*(pthread_t*)other, NULL);
    pthread_cleanup_pop(0);
    return NULL;
}
/* A join that is cancelled leaves the thread to be joined. */
static void join_cancelled(void) {
    atomic_store(&step, 0);
    pthread_t other = started(stay_a_while, NULL);
    pthread_t joining_one = started(join_another, &other);
    becomes(&step, 1);
    nap(1);
    pthread_cancel(joining_one);
    int cancelled = joined(joining_one);
    show("cleanup", cancelled == (atomic_load(&step) == 2));
    if (cancelled)
        show("join", pthread_join(other, NULL));
    else
        show("join", 0);
}
static void* spin_for_ever(void* unused) {
    (void)unused;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL); /* NOLINT: what is tried */
    atomic_store(&step, 1);
    for (;;) {
    }
    return NULL;
}
static void cancelled_anywhere(void) {
    atomic_store(&step, 0);
    pthread_t thread = started(spin_for_ever, NULL);
    becomes(&step, 1);
    show("cancel", pthread_cancel(thread));
    show("was cancelled", joined(thread));
}
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void* lock_cancelled_anywhere(void* unused) {
    (void)unused;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL); /* NOLINT: what is tried */
    atomic_store(&step, 1);
    pthread_mutex_lock(&mutex);
    return NULL;
}
static void cancelled_in_lock(void) {
    atomic_store(&step, 0);
    pthread_mutex_lock(&mutex);
    pthread_t thread = started(lock_cancelled_anywhere, NULL);
    becomes(&step, 1);
    nap(10);
    pthread_cancel(thread);
    show("was cancelled", joined(thread));
    show("unlock", pthread_mutex_unlock(&mutex));
}
static pthread_key_t key;
static void lock_late(void* value) {
    (void)value;
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    atomic_fetch_add(&step, 1);
}
static void* end_with_destructor(void* unused) {
    (void)unused;
    pthread_setspecific(key, &key);
    return unused;
}
static void locks_in_destructors(void) {
    enum { threads = 8 };
    pthread_t all[threads];
    atomic_store(&step, 0);
    pthread_key_create(&key, lock_late);
    for (int i = 0; i < threads; ++i) all[i] = started(end_with_destructor, NULL);
    for (int i = 0; i < threads; ++i) joined(all[i]);
    show("destructors", atomic_load(&step));
}

static mtx_t c_mutex;
static cnd_t c_condition;
static once_flag c_once = ONCE_FLAG_INIT;
static int c_ready, c_calls;
static void c_call(void) {
    ++c_calls;
}
static int c_thread(void* unused) {
    (void)unused;
    call_once(&c_once, c_call);
    mtx_lock(&c_mutex);
    nap(10);
    c_ready = 1;
    cnd_broadcast(&c_condition);
    mtx_unlock(&c_mutex);
    return 42;
}
static int c_timed(void* unused) {
    (void)unused;
    struct timespec time = in(CLOCK_REALTIME, 5);
    return mtx_timedlock(&c_mutex, &time);
}
static void of_c11(void) {
    thrd_t thread;
    int value = 0;
    show("init", mtx_init(&c_mutex, mtx_timed | mtx_recursive));
    show("init", cnd_init(&c_condition));
    mtx_lock(&c_mutex);
    show("create", thrd_create(&thread, c_thread, NULL));
    nap(5);
    while (!c_ready) cnd_wait(&c_condition, &c_mutex);
    struct timespec time = in(CLOCK_REALTIME, 5), wrong = wrong_time();
    show("timed out", cnd_timedwait(&c_condition, &c_mutex, &time));
    show("try", mtx_trylock(&c_mutex));
    show("timed", mtx_timedlock(&c_mutex, &time));
    show("timed, wrong time", mtx_timedlock(&c_mutex, &wrong));
    thrd_t other;
    show("create", thrd_create(&other, c_timed, NULL));
    show("join", thrd_join(other, &value));
    show("timed out", value == thrd_timedout);
    for (int i = 0; i < 4; ++i) show("unlock", mtx_unlock(&c_mutex));
    show("join", thrd_join(thread, &value));
    show("value", value);
    call_once(&c_once, c_call);
    show("calls", c_calls);
}

CASES(CASE(joining), CASE(exiting), CASE(detaching), CASE(join_cancelled), CASE(cancelled_anywhere),
      CASE(cancelled_in_lock), CASE(locks_in_destructors), CASE(of_c11))
