/* Three threads of OpenMP, the main thread among them. */
int main(void) {
    int sum = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum)
    sum += 1;
    return sum == 3 ? 0 : 1;
}
