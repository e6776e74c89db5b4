/* A library whose constructor makes a thread and waits for it. Programs are linked with it, so that its
 * constructor comes before those of libraries that are preloaded. */
#include <pthread.h>

void in_constructor(void);

static void* nothing(void* argument) {
    return argument;
}

__attribute__((constructor)) static void make_thread(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, nothing, NULL) == 0) pthread_join(thread, NULL);
}

/* A program refers to it. */
void in_constructor(void) {}
