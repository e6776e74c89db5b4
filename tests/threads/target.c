/* Makes threads that emit nothing, in the way that its first argument names. It knows nothing of the tracer.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

enum { most = 2000 };
static pthread_t threads[most];
static pthread_barrier_t barrier;

static void* nothing(void* argument) {
    return argument;
}

static void* meet(void* argument) {
    pthread_barrier_wait(&barrier);
    return argument;
}

static void* sleep_for_ever(void* argument) {
    pthread_barrier_wait(&barrier);
    for (;;) pause();
    return argument;
}

static void* leave(void* argument) {
    pthread_exit(argument);
}

static void* name_itself(void* argument) {
    prctl(PR_SET_NAME, "first");
    prctl(PR_SET_NAME, "second");
    return argument;
}

static void* name_itself_and_meet(void* argument) {
    return meet(name_itself(argument));
}

static int run_c11(void* argument) {
    (void)argument;
    return 3;
}

static void begin(int count, void* (*function)(void*)) {
    pthread_barrier_init(&barrier, NULL, (unsigned)count + 1);
    for (int i = 0; i < count; ++i)
        if (pthread_create(&threads[i], NULL, function, NULL) != 0) exit(9);
}

static void join(int count) {
    for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
}

static void at_once(int count) {
    begin(count, meet);
    pthread_barrier_wait(&barrier);
    join(count);
}

static void in_sequence(int count) {
    for (int i = 0; i < count; ++i) {
        begin(1, nothing);
        join(1);
    }
}

/* Two names in turn. The thread gives itself the one, and its creator the other. */
static void named_in_sequence(int count) {
    for (int i = 0; i < count; ++i) {
        begin(1, i % 2 == 0 ? name_itself : meet);
        if (i % 2 != 0) {
            pthread_setname_np(threads[0], "by its creator");
            pthread_barrier_wait(&barrier);
        }
        join(1);
    }
}

static void teams(int count) {
    for (int i = 0; i < count; ++i) at_once(4);
}

static pid_t tid_of_last;

static void* note_number(void* argument) {
    tid_of_last = gettid();
    return argument;
}

static void* note_number_and_name(void* argument) {
    return note_number(name_itself(argument));
}

/* The second thread has the number of the first, if the system and other programs let it. */
static int number_again(void) {
    begin(1, note_number);
    join(1);
    const pid_t first = tid_of_last;
    FILE* last = fopen("/proc/sys/kernel/ns_last_pid", "w");
    if (!last || fprintf(last, "%d", first - 1) < 0 || fclose(last) != 0) return 77;
    begin(1, note_number_and_name);
    join(1);
    return tid_of_last == first ? 0 : 77;
}

static void ends(void) {
    begin(1, nothing);
    join(1);
    begin(1, leave);
    join(1);
    begin(1, sleep_for_ever);
    pthread_barrier_wait(&barrier);
    pthread_cancel(threads[0]);
    join(1);
    begin(2, sleep_for_ever);
    pthread_barrier_wait(&barrier);
    pthread_detach(threads[1]);
}

static void names(void) {
    begin(1, name_itself);
    join(1);
    begin(1, meet);
    pthread_setname_np(threads[0], "by its creator");
    pthread_barrier_wait(&barrier);
    join(1);
    at_once(1);
}

static void named_before_waits(void) {
    begin(1, name_itself_and_meet);
    pthread_barrier_wait(&barrier);
    join(1);
}

static void killed(void) {
    begin(2, sleep_for_ever);
    pthread_barrier_wait(&barrier);
    pthread_setname_np(threads[0], "sleeper");
    usleep(50000);
    kill(getpid(), SIGKILL);
}

/* One child ends as it is, one has a thread, one becomes another program, one is of vfork(). */
static void forks(void) {
    if (fork() == 0) _exit(0);
    if (fork() == 0) {
        at_once(1);
        exit(0);
    }
    if (fork() == 0) {
        execlp("true", "true", (char*)NULL);
        _exit(1);
    }
    if (vfork() == 0) {
        execlp("true", "true", (char*)NULL);
        _exit(1);
    }
    while (wait(NULL) > 0) {
    }
    if (system("true") != 0) exit(8);
}

static void bound(void) {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    CPU_SET(sched_getcpu(), &mask);
    if (sched_setaffinity(0, sizeof mask, &mask) != 0) exit(7);
    at_once(1);
}

/* Fails if an error of the loader is there that the program did not make. */
static void* expect_no_error(void* argument) {
    if (dlerror()) exit(8);
    return argument;
}

static void loader_errors(void) {
    expect_no_error(NULL);
    begin(1, expect_no_error);
    join(1);
    expect_no_error(NULL);
}

/* 77: it may not. */
static int in_chroot(const char* jail, int closes) {
    if (chroot(jail) != 0 || chdir("/") != 0) return 77;
    if (closes) closefrom(STDERR_FILENO + 1);
    at_once(3);
    return 0;
}

/* The next descriptor has the number that it would have without the tracer. */
static int refused_chroot(const char* jail) {
    const int expected = dup(STDERR_FILENO);
    close(expected);
    if (chroot(jail) == 0) return 1;
    for (int fd = STDERR_FILENO + 1; fd < 2000; ++fd)
        if (fcntl(fd, F_GETFD) >= 0 && (fcntl(fd, F_GETFL) & O_PATH) != 0) return 2;
    return dup(STDERR_FILENO) == expected ? 0 : 3;
}

static void child_exits(int status) {
    const pid_t child = fork();
    if (child == 0) exit(status);
    waitpid(child, NULL, 0);
    exit(status);
}

int main(int argc, char** argv) {
    const char* way = argc > 1 ? argv[1] : "";
    const int count = argc > 2 ? atoi(argv[2]) : 0;
    if (strcmp(way, "at_once") == 0) at_once(count);
    if (strcmp(way, "in_sequence") == 0) in_sequence(count);
    if (strcmp(way, "named_in_sequence") == 0) named_in_sequence(count);
    if (strcmp(way, "teams") == 0) teams(count);
    if (strcmp(way, "number_again") == 0) return number_again();
    if (strcmp(way, "ends") == 0) ends();
    if (strcmp(way, "names") == 0) names();
    if (strcmp(way, "named_before_waits") == 0) named_before_waits();
    if (strcmp(way, "killed_after") == 0) in_sequence(count);
    if (strncmp(way, "killed", strlen("killed")) == 0) killed();
    if (strcmp(way, "forks") == 0) forks();
    if (strcmp(way, "child_exits") == 0) child_exits(count);
    if (strcmp(way, "in_chroot") == 0) return in_chroot(argv[2], 0);
    if (strcmp(way, "in_closed_chroot") == 0) return in_chroot(argv[2], 1);
    if (strcmp(way, "refused_chroot") == 0) return refused_chroot(argv[2]);
    if (strcmp(way, "bound") == 0) bound();
    if (strcmp(way, "loader_errors") == 0) loader_errors();
    if (strcmp(way, "in_loader") == 0 && (argc < 3 || !dlopen(argv[2], RTLD_NOW))) return 3;
    if (strcmp(way, "exec") == 0) {
        at_once(1);
        execl(argv[0], argv[0], "at_once", "2", (char*)NULL);
        return 6;
    }
    if (strcmp(way, "failed_exec") == 0) {
        execl("/no/program", "program", (char*)NULL);
        at_once(1);
    }
    if (strcmp(way, "c11") == 0) {
        thrd_t thread;
        int result = 0;
        if (thrd_create(&thread, run_c11, NULL) != thrd_success) return 5;
        thrd_join(thread, &result);
        return result == 3 ? 0 : 4;
    }
    if (strcmp(way, "main_leaves") == 0) {
        begin(1, meet);
        pthread_detach(threads[0]);
        pthread_barrier_wait(&barrier);
        pthread_exit(NULL);
    }
    return 0;
}
