/* deadlock WAY: threads that wait for each other for ever, and print "hangs" when they are about to. WAY:
 *
 * - locks: two threads, each with the mutex that the other one waits for; the main thread joins the first
 * - itself: the main thread takes a mutex twice
 * - writer: a thread waits for a read-write lock that a sleeping thread has
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER, second_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t table_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t both_have_one;

static void* take_both(void* argument) {
    pthread_mutex_t* const locks[] = {&first_lock, &second_lock};
    const int mine = argument != NULL;
    pthread_setname_np(pthread_self(), mine ? "second" : "first");
    pthread_mutex_lock(locks[mine]);
    pthread_barrier_wait(&both_have_one);
    if (mine) usleep(100000);
    pthread_mutex_lock(locks[!mine]);
    return NULL;
}

static void* write_for_ever(void* argument) {
    pthread_setname_np(pthread_self(), "writer");
    pthread_rwlock_wrlock(&table_lock);
    pthread_barrier_wait(&both_have_one);
    for (;;) pause();
    return argument;
}

int main(int argc, char** argv) {
    const char* way = argc > 1 ? argv[1] : "";
    pthread_t threads[2];
    pthread_barrier_init(&both_have_one, NULL, 2);
    if (strcmp(way, "itself") == 0) {
        pthread_mutex_lock(&first_lock);
        puts("hangs"), fflush(stdout);
        pthread_mutex_lock(&first_lock);
    }
    if (strcmp(way, "writer") == 0) {
        pthread_create(&threads[0], NULL, write_for_ever, NULL);
        pthread_barrier_wait(&both_have_one);
        puts("hangs"), fflush(stdout);
        pthread_rwlock_rdlock(&table_lock);
    }
    for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, take_both, i == 0 ? NULL : &threads);
    puts("hangs"), fflush(stdout);
    pthread_join(threads[0], NULL);
    return 1;
}
