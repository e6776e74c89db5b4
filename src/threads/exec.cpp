// The process becomes another program: its rows end here, even if nothing is recorded of the next program.
// posix_spawn(), system() and popen() call exec in a child that has no row, inside of the C library.
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstddef>

#include "core/next_function.hpp"
#include "ovni/private.h"

namespace {

using ovni::NextFunction;
using Execve = int(const char*, char* const*, char* const*);
using Fexecve = int(int, char* const*, char* const*);
using Execveat = int(int, const char*, char* const*, char* const*, int);

constinit NextFunction<Execve> real_execve{"execve"};
constinit NextFunction<Execve> real_execvpe{"execvpe"};
constinit NextFunction<Fexecve> real_fexecve{"fexecve"};
constinit NextFunction<Execveat> real_execveat{"execveat"};

// A child of vfork() should look up nothing.
[[gnu::constructor]] void find_real_exec() {
    real_execve.get();
    real_execvpe.get();
    real_fexecve.get();
    real_execveat.get();
}

// Comes back if exec fails.
template <class Function, class... Arguments>
int become(NextFunction<Function>& real, Arguments... arguments) noexcept {
    if (!real.get()) {
        errno = ENOSYS;
        return -1;
    }
    ovni_private_expect_exec(1);
    const int result = real.get()(arguments...);
    const int cause = errno;
    ovni_private_expect_exec(0);
    errno = cause;
    return result;
}

size_t count(va_list list) noexcept {
    size_t words = 1;
    while (va_arg(list, char*)) ++words;
    return words;
}

}  // namespace

// Calls `become_` with the words from `first` to the null pointer, and what stands behind it.
#define OVNI_WITH_WORDS(first, become_)                                               \
    va_list list;                                                                     \
    va_start(list, first);                                                            \
    const size_t words = count(list);                                                 \
    va_end(list);                                                                     \
    auto** argv = static_cast<char**>(__builtin_alloca((words + 1) * sizeof(char*))); \
    va_start(list, first);                                                            \
    argv[0] = const_cast<char*>(first);                                               \
    for (size_t i = 1; i <= words; ++i) argv[i] = va_arg(list, char*);                \
    const int result = become_;                                                       \
    va_end(list);                                                                     \
    return result

#pragma GCC visibility push(default)

extern "C" {

int execve(const char* path, char* const argv[], char* const envp[]) noexcept {
    return become(real_execve, path, argv, envp);
}

int execv(const char* path, char* const argv[]) noexcept {
    return become(real_execve, path, argv, environ);
}

int execvp(const char* file, char* const argv[]) noexcept {
    return become(real_execvpe, file, argv, environ);
}

int execvpe(const char* file, char* const argv[], char* const envp[]) noexcept {
    return become(real_execvpe, file, argv, envp);
}

int fexecve(int fd, char* const argv[], char* const envp[]) noexcept {
    return become(real_fexecve, fd, argv, envp);
}

int execveat(int directory, const char* path, char* const argv[], char* const envp[], int flags) noexcept {
    return become(real_execveat, directory, path, argv, envp, flags);
}

int execl(const char* path, const char* first, ...) noexcept {
    OVNI_WITH_WORDS(first, become(real_execve, path, argv, environ));
}

int execlp(const char* file, const char* first, ...) noexcept {
    OVNI_WITH_WORDS(first, become(real_execvpe, file, argv, environ));
}

int execle(const char* path, const char* first, ...) noexcept {
    OVNI_WITH_WORDS(first, become(real_execve, path, argv, va_arg(list, char* const*)));
}
}

#pragma GCC visibility pop
