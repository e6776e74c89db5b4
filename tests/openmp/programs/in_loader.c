/* A library whose constructor makes parallel regions, all within dlopen(). */
#include <omp.h>
#include <stdlib.h>

__attribute__((constructor)) static void count(void) {
    int sum = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
    for (int i = 0; i < 4; ++i) {
#pragma omp parallel num_threads(3)
        {
#pragma omp critical
            sum += 1;
#pragma omp task
            {
                omp_set_lock(&lock);
                sum += 1;
                omp_unset_lock(&lock);
            }
#pragma omp barrier
#pragma omp for schedule(dynamic)
            for (int k = 0; k < 30; ++k) {
#pragma omp atomic
                sum += 1;
            }
        }
    }
    omp_destroy_lock(&lock);
    if (sum != 4 * (3 + 3 + 30)) abort();
}
