/* host HOW [LIBRARY...]: a program without OpenMP that loads libraries with it (plugin.c), and prints what
 * their functions work() return. HOW:
 *
 * - each: loads all, each for itself
 * - again: loads and unloads one 100 times, at other addresses
 * - load: only loads them, with their constructors
 * - around: in a region of the first, loads the second for all to see
 * - error: asks for the loader's error after the first call of the library, and after another one
 * - away: loads one by a path that is then no longer its own
 * - weak: asks whether functions of OpenMP are there, and calls them */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern void omp_set_lock(void*) __attribute__((weak));
extern int omp_test_lock(void*) __attribute__((weak));
extern void omp_unset_lock(void*) __attribute__((weak));
extern void GOMP_barrier(void) __attribute__((weak));
extern void GOMP_parallel(void (*)(void*), void*, unsigned, unsigned) __attribute__((weak));

static void* load(const char* path, int flags) {
    void* library = dlopen(path, RTLD_NOW | flags);
    if (!library) fprintf(stderr, "%s\n", dlerror()), exit(9);
    return library;
}

static void* function_of(void* library, const char* name) {
    void* function = dlsym(library, name);
    if (!function) exit(8);
    return function;
}

static int work(void* library) {
    int (*function)(int);
    *(void**)&function = function_of(library, "work");
    return function(1);
}

static int again(const char* path) {
    int sum = 0;
    for (int i = 0; i < 100; ++i) {
        void* library = load(path, RTLD_LOCAL);
        sum += work(library);
        dlclose(library);
        mmap(NULL, 4096 * (1 + i % 7), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    return sum;
}

static const char* second;
static int of_second;
static void load_second(void) {
    usleep(50000);
    of_second = work(load(second, RTLD_GLOBAL));
}

static int around(const char* first) {
    void* library = load(first, RTLD_LOCAL);
    int (*function)(void (*)(void));
    *(void**)&function = function_of(library, "work_around");
    const int is_right = function(load_second);
    return is_right && work(library) == 4 ? of_second : 0;
}

static int is_kept_by(int (*function)(int)) {
    dlopen("/of/no/library.so", RTLD_NOW);
    function(1);
    const char* error = dlerror();
    return error && strstr(error, "/of/no/library.so");
}

static int error_after(const char* path) {
    void* library = load(path, RTLD_LOCAL);
    int (*function)(int);
    *(void**)&function = function_of(library, "work");
    const int first = is_kept_by(function);
    return 10 * first + is_kept_by(function);
}

static int away(const char* path) {
    char name[4096], directory[4096];
    const char* slash = strrchr(path, '/');
    snprintf(directory, sizeof directory, "%.*s", (int)(slash - path), path);
    snprintf(name, sizeof name, ".%s", slash);
    if (chdir(directory) != 0) exit(7);
    void* library = load(name, RTLD_LOCAL);
    if (chdir("/") != 0) exit(7);
    return work(library);
}

static void set_seven(void* number) {
    *(int*)number = 7;
}

static int weak(void) {
    long lock[4] = {0};
    int number = 0;
    if (!omp_set_lock || !GOMP_parallel) return 7;
    omp_set_lock(lock);
    omp_unset_lock(lock);
    if (!omp_test_lock(lock)) return 1;
    GOMP_barrier();
    GOMP_parallel(set_seven, &number, 0, 0);
    return number;
}

int main(int argc, char** argv) {
    const char* how = argc > 1 ? argv[1] : "";
    const char* first = argc > 2 ? argv[2] : "";
    second = argc > 3 ? argv[3] : "";
    int result = 0;
    MPI_Init(&argc, &argv);
    if (strcmp(how, "each") == 0)
        for (int i = 2; i < argc; ++i) result += work(load(argv[i], RTLD_LOCAL));
    if (strcmp(how, "load") == 0)
        for (int i = 2; i < argc; ++i) load(argv[i], RTLD_LOCAL);
    if (strcmp(how, "again") == 0) result = again(first);
    if (strcmp(how, "around") == 0) result = around(first);
    if (strcmp(how, "error") == 0) result = error_after(first);
    if (strcmp(how, "away") == 0) result = away(first);
    if (strcmp(how, "weak") == 0) result = weak();
    MPI_Finalize();
    printf("%d\n", result);
    return 0;
}
