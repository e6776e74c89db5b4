/* The library that in_loader_outer.c is linked with. */
void add_alone(int* sum) {
#pragma omp critical
    *sum += 1;
}
