/* A library whose constructor makes regions in which only the thread that did not make them calls OpenMP:
 * here, and in another library. */
#include <omp.h>
#include <stdlib.h>

void add_alone(int* sum);

__attribute__((constructor)) static void begin(void) {
    int sum = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1) {
        omp_set_lock(&lock);
        sum += 1;
        omp_unset_lock(&lock);
    }
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1) add_alone(&sum);
    if (sum != 2) abort();
}
