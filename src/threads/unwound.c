#include "threads/unwound.h"

struct left {
    void (*function)(void*);
    void* argument;
};

static void run(struct left* left) {
    left->function(left->argument);
}

void ovni_threads_call(void (*call)(void*), void (*left)(void*), void* argument) {
    struct left at_end __attribute__((cleanup(run), unused)) = {left, argument};
    call(argument);
}
