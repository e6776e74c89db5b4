/* Condition variables: results, times, and what cancellation leaves behind. */
#include "cases.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int ready, woken;
static atomic_int waiting;

static void* wait_until_ready(void* unused) {
    (void)unused;
    pthread_mutex_lock(&mutex);
    atomic_fetch_add(&waiting, 1);
    while (!ready) pthread_cond_wait(&condition, &mutex);
    ++woken;
    pthread_mutex_unlock(&mutex);
    return NULL;
}
static void wakes(void) {
    enum { threads = 4 };
    pthread_t all[threads];
    ready = woken = 0;
    atomic_store(&waiting, 0);
    for (int i = 0; i < threads; ++i) all[i] = started(wait_until_ready, NULL);
    becomes(&waiting, threads);
    show("signal", pthread_cond_signal(&condition));
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_mutex_unlock(&mutex);
    show("broadcast", pthread_cond_broadcast(&condition));
    for (int i = 0; i < threads; ++i) joined(all[i]);
    show("woken", woken);
}
static void times_out(void) {
    pthread_mutex_lock(&mutex);
    struct timespec time = in(CLOCK_REALTIME, 10);
    show("timed", pthread_cond_timedwait(&condition, &mutex, &time));
    show("has the mutex", pthread_mutex_trylock(&mutex));
    time = in(CLOCK_MONOTONIC, 10);
    show("clock", pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &time));
    struct timespec wrong = wrong_time();
    show("wrong time", pthread_cond_timedwait(&condition, &mutex, &wrong));
    show("wrong clock", pthread_cond_clockwait(&condition, &mutex, CLOCK_TAI, &time));
    pthread_mutex_unlock(&mutex);
}
static void monotonic(void) {
    pthread_condattr_t about;
    pthread_cond_t timed;
    pthread_condattr_init(&about);
    pthread_condattr_setclock(&about, CLOCK_MONOTONIC);
    pthread_cond_init(&timed, &about);
    pthread_mutex_lock(&mutex);
    struct timespec time = in(CLOCK_MONOTONIC, 10);
    show("timed", pthread_cond_timedwait(&timed, &mutex, &time));
    pthread_mutex_unlock(&mutex);
    show("destroy", pthread_cond_destroy(&timed));
}

static void unlock(void* with) {
    show("cleanup has the mutex", pthread_mutex_trylock(&mutex));
    show("cleanup unlocks", pthread_mutex_unlock(&mutex));
    if (with) pthread_cond_signal(with);
}
static void* wait_to_be_cancelled(void* timed) {
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, &condition);
    atomic_store(&waiting, 1);
    for (;;) {
        struct timespec late = in(CLOCK_REALTIME, 100000);
        if (timed)
            pthread_cond_timedwait(&condition, &mutex, &late);
        else
            pthread_cond_wait(&condition, &mutex);
    }
    pthread_cleanup_pop(0);
    return NULL;
}
static void cancelled(void) {
    for (int timed = 0; timed < 2; ++timed) {
        atomic_store(&waiting, 0);
        pthread_t thread = started(wait_to_be_cancelled, timed ? &waiting : NULL);
        becomes(&waiting, 1);
        nap(5);
        show("cancel", pthread_cancel(thread));
        show("was cancelled", joined(thread));
        show("mutex is free", pthread_mutex_trylock(&mutex));
        pthread_mutex_unlock(&mutex);
    }
}
static void* cancel_myself_first(void* unused) {
    (void)unused;
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, NULL);
    pthread_cancel(pthread_self());
    pthread_cond_wait(&condition, &mutex);
    show("not reached", 1);
    pthread_cleanup_pop(0);
    return NULL;
}
static void cancelled_before(void) {
    show("was cancelled", joined(started(cancel_myself_first, NULL)));
}
static void* wait_without_cancellation(void* unused) {
    (void)unused;
    int before = 0;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    pthread_mutex_lock(&mutex);
    atomic_store(&waiting, 1);
    struct timespec time = in(CLOCK_REALTIME, 20);
    show("timed", pthread_cond_timedwait(&condition, &mutex, &time));
    pthread_mutex_unlock(&mutex);
    pthread_setcancelstate(before, NULL);
    pthread_testcancel();
    show("not reached", 1);
    return NULL;
}
static void cancelled_later(void) {
    atomic_store(&waiting, 0);
    pthread_t thread = started(wait_without_cancellation, NULL);
    becomes(&waiting, 1);
    pthread_cancel(thread);
    show("was cancelled", joined(thread));
}
static void not_owned(void) {
    pthread_mutex_t checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
    show("wait", pthread_cond_wait(&condition, &checking));
}

CASES(CASE(wakes), CASE(times_out), CASE(monotonic), CASE(cancelled), CASE(cancelled_before),
      CASE(cancelled_later), CASE(not_owned))
