/* Semaphores, with errno, cancellation and signal handlers. */
#include "cases.h"

static sem_t semaphore;
static atomic_int step;

static long error_of(int result) {
    return result == 0 ? 0 : errno;
}
static void* post_later(void* unused) {
    (void)unused;
    nap(20);
    sem_post(&semaphore);
    return NULL;
}
static void counts(void) {
    int value = 0;
    sem_init(&semaphore, 0, 2);
    errno = 77;
    show("wait", error_of(sem_wait(&semaphore)));
    show("try", error_of(sem_trywait(&semaphore)));
    show("errno", errno);
    show("try in vain", error_of(sem_trywait(&semaphore)));
    errno = 77;
    pthread_t other = started(post_later, NULL);
    show("wait for a post", error_of(sem_wait(&semaphore)));
    show("errno", errno);
    joined(other);
    sem_getvalue(&semaphore, &value);
    show("value", value);
}
static void times_out(void) {
    sem_init(&semaphore, 0, 0);
    struct timespec time = in(CLOCK_REALTIME, 10), wrong = wrong_time();
    show("timed", error_of(sem_timedwait(&semaphore, &time)));
    time = in(CLOCK_MONOTONIC, 10);
    show("clock", error_of(sem_clockwait(&semaphore, CLOCK_MONOTONIC, &time)));
    show("wrong time", error_of(sem_timedwait(&semaphore, &wrong)));
    show("wrong clock", error_of(sem_clockwait(&semaphore, CLOCK_TAI, &time)));
    sem_post(&semaphore);
    show("wrong time, free", error_of(sem_timedwait(&semaphore, &wrong)));
    show("wrong clock, free", error_of(sem_clockwait(&semaphore, CLOCK_TAI, &time)));
    show("still free", error_of(sem_trywait(&semaphore)));
    sem_post(&semaphore);
    show("time is over, free", error_of(sem_timedwait(&semaphore, &time)));
}
static void* wait_for_ever(void* unused) {
    (void)unused;
    atomic_store(&step, 1);
    sem_wait(&semaphore);
    show("not reached", 1);
    return NULL;
}
static void cancelled(void) {
    sem_init(&semaphore, 0, 0);
    atomic_store(&step, 0);
    pthread_t thread = started(wait_for_ever, NULL);
    becomes(&step, 1);
    nap(5);
    pthread_cancel(thread);
    show("was cancelled", joined(thread));
}
static void* cancel_myself(void* unused) {
    (void)unused;
    pthread_cancel(pthread_self());
    sem_wait(&semaphore);
    show("not reached", 1);
    return NULL;
}
static void cancelled_although_free(void) {
    int value = 0;
    sem_init(&semaphore, 0, 1);
    show("was cancelled", joined(started(cancel_myself, NULL)));
    sem_getvalue(&semaphore, &value);
    show("value", value);
}

static sem_t from_handler;
static void post(int signal) {
    (void)signal;
    int before = errno;
    sem_post(&from_handler);
    errno = before;
}
static void posted_by_handler(void) {
    sem_init(&from_handler, 0, 0);
    struct sigaction action = {.sa_handler = post, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &action, NULL);
    for (int i = 0; i < 100; ++i) raise(SIGUSR1);
    int taken = 0;
    while (sem_trywait(&from_handler) == 0) ++taken;
    show("taken", taken);
}
static void do_nothing(int signal) {
    (void)signal;
}
static void* wait_to_be_interrupted(void* unused) {
    (void)unused;
    atomic_store(&step, 1);
    show("interrupted", error_of(sem_wait(&semaphore)));
    atomic_store(&step, 2);
    return NULL;
}
static void interrupted(void) {
    sem_init(&semaphore, 0, 0);
    atomic_store(&step, 0);
    struct sigaction action = {.sa_handler = do_nothing};
    sigaction(SIGUSR2, &action, NULL);
    pthread_t thread = started(wait_to_be_interrupted, NULL);
    becomes(&step, 1);
    while (atomic_load(&step) != 2) {
        pthread_kill(thread, SIGUSR2);
        nap(5);
    }
    joined(thread);
}
static void shared_between_processes(void) {
    sem_t* shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sem_init(shared, 1, 0);
    pid_t child = fork();
    if (child == 0) {
        nap(10);
        sem_post(shared);
        _exit(4);
    }
    show("wait", error_of(sem_wait(shared)));
    int status = 0;
    waitpid(child, &status, 0);
    show("child", WEXITSTATUS(status));
}

CASES(CASE(counts), CASE(times_out), CASE(cancelled), CASE(cancelled_although_free), CASE(posted_by_handler),
      CASE(interrupted), CASE(shared_between_processes))
