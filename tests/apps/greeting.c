/* A program without MPI, to be built in many ways. */
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    char* text = malloc(16);
    if (!text) return 1;
    snprintf(text, 16, "hello");
    puts(text);
    free(text);
    return 0;
}
