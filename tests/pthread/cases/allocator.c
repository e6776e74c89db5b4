/* An allocator of the program with a lock of its own, which threads wait for within malloc(). */
#include "cases.h"

static pthread_mutex_t heap_lock = PTHREAD_MUTEX_INITIALIZER;
static char heap[64 << 20];
static size_t used;

void* malloc(size_t size) {
    pthread_mutex_lock(&heap_lock);
    void* found = used + size + 32 <= sizeof heap ? heap + used : NULL;
    used += (size + 31) / 16 * 16;
    pthread_mutex_unlock(&heap_lock);
    return found;
}
void free(void* memory) {
    pthread_mutex_lock(&heap_lock);
    (void)memory;
    pthread_mutex_unlock(&heap_lock);
}
void* calloc(size_t count, size_t size) {
    return malloc(count * size);
}
void* realloc(void* memory, size_t size) {
    void* larger = malloc(size);
    for (size_t i = 0; memory && larger && i < size; ++i) ((char*)larger)[i] = ((char*)memory)[i];
    return larger;
}

static void* allocate(void* unused) {
    (void)unused;
    long sum = 0;
    for (int i = 0; i < 5000; ++i) {
        char* memory = malloc(64);
        *memory = 1;
        sum += *memory;
        free(memory);
    }
    return (void*)(intptr_t)sum;
}
static void in_many_threads(void) {
    enum { threads = 6 };
    pthread_t all[threads];
    long sum = 0;
    for (int i = 0; i < threads; ++i) all[i] = started(allocate, NULL);
    for (int i = 0; i < threads; ++i) {
        void* value = NULL;
        pthread_join(all[i], &value);
        sum += (long)(intptr_t)value;
    }
    show("sum", sum);
}

CASES(CASE(in_many_threads))
