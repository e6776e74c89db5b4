/* threads_target WAY: threads that emit nothing and know nothing of the tracer. Thread i touches (i + 1) *
 * 400 new pages, and so does the main thread first, as thread 0. Writes a line "tid faults" per thread. WAY
 * is how the process ends: `return`, `_exit`, `exec` (of `true`), or `pool`, in which the others wait for a
 * condition for ever. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { threads = 3, page = 4096 };
static long faults[threads];
static int tids[threads];
static int is_pool, done;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER, all_done = PTHREAD_COND_INITIALIZER;

static long faults_of_thread(void) {
    struct rusage use;
    getrusage(RUSAGE_THREAD, &use);
    return use.ru_minflt + use.ru_majflt;
}

static void* work(void* argument) {
    const int thread = (int)((int*)argument - tids);
    const size_t bytes = (size_t)(thread + 1) * 400 * page;
    const long before = faults_of_thread();
    volatile char* memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise((void*)memory, bytes, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < bytes; i += page) memory[i] = 1;
    munmap((void*)memory, bytes);
    faults[thread] = faults_of_thread() - before;
    tids[thread] = gettid();
    if (!is_pool || thread == 0) return NULL;
    pthread_mutex_lock(&mutex);
    ++done;
    pthread_cond_signal(&all_done);
    for (;;) pthread_cond_wait(&more, &mutex);
}

int main(int argc, char** argv) {
    const char* way = argc > 1 ? argv[1] : "return";
    pthread_t thread[threads];
    is_pool = strcmp(way, "pool") == 0;
    work(&tids[0]);
    for (int i = 1; i < threads; ++i) pthread_create(&thread[i], NULL, work, &tids[i]);
    if (is_pool) {
        pthread_mutex_lock(&mutex);
        while (done < threads - 1) pthread_cond_wait(&all_done, &mutex);
        pthread_mutex_unlock(&mutex);
    } else {
        for (int i = 1; i < threads; ++i) pthread_join(thread[i], NULL);
    }
    for (int i = 0; i < threads; ++i) printf("%d %ld\n", tids[i], faults[i]);
    fflush(stdout);
    if (strcmp(way, "_exit") == 0) _exit(0);
    if (strcmp(way, "exec") == 0) execlp("true", "true", (char*)NULL);
    return 0;
}
