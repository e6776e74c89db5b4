/* Preloaded into a program: it is killed when a file gets a name that ends with DIES_AT, before that or,
 * without DIES_BEFORE, behind it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int rename(const char* from, const char* to) {
    int (*real)(const char*, const char*) = (int (*)(const char*, const char*))dlsym(RTLD_NEXT, "rename");
    const char* end = getenv("DIES_AT");
    size_t size = strlen(to), wanted = end ? strlen(end) : size + 1;
    int dies = size >= wanted && strcmp(to + size - wanted, end) == 0;
    if (dies && getenv("DIES_BEFORE")) kill(getpid(), SIGKILL);
    int result = real(from, to);
    if (dies) kill(getpid(), SIGKILL);
    return result;
}
