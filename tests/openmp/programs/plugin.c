/* A library with OpenMP, for programs without. */
#include <omp.h>

/* A loop that belongs to the region of the caller. */
__attribute__((noinline)) void share(int count, int* sum) {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < count; ++i) __atomic_fetch_add(sum, 1, __ATOMIC_RELAXED);
}

/* A team of two: 4 * `amount`, or less if it is no team. */
int work(int amount) {
    int locked = 0, critical = 0, seen = 0, shared = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
    {
        omp_set_lock(&lock);
        locked += amount;
        omp_unset_lock(&lock);
#pragma omp critical
        {
            critical += amount;
            seen |= 1 << omp_get_thread_num();
        }
        share(10, &shared);
#pragma omp barrier
    }
    omp_destroy_lock(&lock);
    return seen == 3 && shared == 10 ? locked + critical : 0;
}

/* Calls back in a team of two. 1 if a barrier after that is one. */
int work_around(void (*callback)(void)) {
    int calls = 0, came = 0, shared = 0, is_barrier = 1;
#pragma omp parallel num_threads(2)
    {
#pragma omp critical
        if (++calls == 1) callback();
        if (omp_get_thread_num() == 1)
            for (volatile int i = 0; i < 10000000; ++i) continue;
        __atomic_fetch_add(&came, 1, __ATOMIC_SEQ_CST);
#pragma omp barrier
        if (__atomic_load_n(&came, __ATOMIC_SEQ_CST) != 2) __atomic_store_n(&is_barrier, 0, __ATOMIC_SEQ_CST);
        share(10, &shared);
    }
    return is_barrier && shared == 10;
}
