/* usage: lookups LIBRARY    Prints where dlsym() finds functions of MPI and others, by the name of the file.
 * The program is not linked with MPI: it loads the library, and calls MPI as it finds it there. */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/* As tools do: the function of libc is looked up at the first call, which may come from within a lookup. */
typedef int (*See)(struct dl_phdr_info*, size_t, void*);
int dl_iterate_phdr(See see, void* what) {
    static int (*real)(See, void*) = NULL;
    if (!real) real = (int (*)(See, void*))dlsym(RTLD_NEXT, "dl_iterate_phdr");
    return real(see, what);
}
#endif

static void say(const char* how, void* library, const char* name) {
    dlerror();
    void* found = dlsym(library, name);
    const char* error = dlerror();
    Dl_info info = {0};
    if (found) dladdr(found, &info);
    const char* path = info.dli_fname ? info.dli_fname : "nowhere";
    const char* slash = strrchr(path, '/');
    printf("%s %s: %s%s\n", how, name, slash ? slash + 1 : path, error ? ", an error" : "");
}

int main(int argc, char** argv) {
    void* mpi = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!mpi) return 2;
    say("own", mpi, "MPI_Barrier");
    say("own", mpi, "PMPI_Barrier");
    say("own", mpi, "MPI_Of_the_future");
    say("own", mpi, "strlen");
    say("next", RTLD_NEXT, "MPI_Barrier");
    say("any", RTLD_DEFAULT, "MPI_Barrier");
    say("any", RTLD_DEFAULT, "PMPI_Barrier");
    say("next", RTLD_NEXT, "main");
    say("any", RTLD_DEFAULT, "strlen");
    int (*init)(int*, char***) = (int (*)(int*, char***))dlsym(mpi, "MPI_Init");
    int (*finalize)(void) = (int (*)(void))dlsym(mpi, "MPI_Finalize");
    if (!init || !finalize || init(NULL, NULL) != 0) return 3;
    return finalize();
}
