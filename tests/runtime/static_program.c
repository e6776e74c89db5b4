/* Linked statically: no library comes into it. */
#include <stdio.h>

int main(void) {
    puts("static");
    return 5;
}
